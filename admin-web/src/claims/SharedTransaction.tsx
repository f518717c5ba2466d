import { Fragment } from 'react';
import { Link } from 'react-router';
import { useGet } from '../api/index.ts';
import { Field, useDebounced, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { Fact, PlainFact } from './Facts.tsx';
import type { Claim } from './types.ts';

type Sharing = Pick<Claim, 'id' | 'publicId'>;

/** More than these are not named. */
const NAMED = 5;

/** Says which other claims record a transaction. What is typed must not be lost, so in a dialog the links open apart. */
function SharedWith({ claims, apart }: { claims: Sharing[]; apart?: boolean }) {
  const { t } = useTexts();
  return (
    <>
      {t('claim.sharedWith', { smart_count: claims.length })}{' '}
      {claims.map(({ id, publicId }, place) => (
        <Fragment key={id}>
          {place > 0 && ', '}
          <Link to={`/claims/${id}`} target={apart ? '_blank' : undefined}>{`№\u00a0${publicId}`}</Link>
        </Fragment>
      ))}
      {'. '}
      {t('claim.sharedCheck')}
    </>
  );
}

/** A transaction of a claim, and a warning if others record it as well. */
export function TransactionFact({ claim, name, txId }: { claim: Claim; name: string; txId: string }) {
  const { t } = useTexts();
  const claims = claim.sharedTransactions.find((shared) => shared.txId === txId)?.claims ?? [];
  return (
    <>
      <Fact name={name} value={txId} />
      {claims.length > 0 && (
        <PlainFact name={t('claim.shared')} isBad>
          <span>
            <SharedWith claims={claims} />
          </span>
        </PlainFact>
      )}
    </>
  );
}

type FieldProps = { claim: Claim; value: string; error?: string; onValue: (value: string) => void };

/** Asks for a transaction, and warns while it is typed if another claim records it. */
export function TransactionField({ claim, ...field }: FieldProps) {
  const { t } = useTexts();
  const transaction = useDebounced(field.value.trim());
  const { data } = useGet('/claims', {
    query: { transaction, size: NAMED + 1 },
    enabled: transaction !== '',
  });
  const others = (data?.items ?? []).filter(({ id }) => id !== claim.id).slice(0, NAMED);
  return (
    <>
      <Field label={t('ask.txId')} help={t('ask.txIdHelp')} autoComplete="off" autoFocus {...field} />
      {others.length > 0 && (
        <p className={css.repeat} role="alert">
          <SharedWith claims={others} apart />
        </p>
      )}
    </>
  );
}
