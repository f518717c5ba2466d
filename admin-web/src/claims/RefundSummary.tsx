import { useState } from 'react';
import { useCurrencies, useMayEdit } from '../api/index.ts';
import { Button, Field, FormDialog, useTexts } from '../ui/index.ts';
import panel from './ClaimPanel.module.css';
import css from './Facts.module.css';
import { AmountFact, Fact, PlainFact, Section } from './Facts.tsx';
import { TransactionFact } from './SharedTransaction.tsx';
import type { Claim, ClaimState } from './types.ts';
import { type ClaimActions, STALE_BY_CLAIM } from './useClaimActions.ts';

/** The amount of a refund, the fee deducted for sending it, and its destination. */
export function RefundFacts({ claim, returned }: { claim: Claim; returned: NonNullable<Claim['returned']> }) {
  const { t } = useTexts();
  const { amount, fee, destination, isMissing, tx } = returned;
  const { ticker } = claim.from;
  return (
    <dl className={css.list}>
      <AmountFact name={t('returned.amount')} value={amount} ticker={ticker} copyLabel={t('returned.amount')} />
      <AmountFact name={t('returned.fee')} value={fee} ticker={ticker} />
      {destination.map((requisite) => (
        <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
      ))}
      {destination.length === 0 && (
        <PlainFact name={t('returned.to')} isBad={isMissing}>
          {t(isMissing ? 'returned.missing' : 'returned.later')}
        </PlainFact>
      )}
      {tx && <TransactionFact claim={claim} name={t('fields.transaction')} txId={tx} />}
    </dl>
  );
}

const DECIDED: ClaimState[] = ['refund_pending', 'refund_sent', 'refunded', 'completed'];

/** Before that the refund is only what it would be. */
export const isRefundDecided = ({ status }: Claim): boolean => DECIDED.includes(status);

type Props = { claim: Claim; held: boolean; actions: ClaimActions };

/** The refund of a claim, or the surplus beside its exchange: what it would be, or what it is once it is decided. */
export function RefundSection({ claim, held, actions }: Props) {
  const { t } = useTexts();
  const may = useMayEdit('refunds');
  const [editing, setEditing] = useState(false);
  const { returned, status } = claim;
  if (!returned) return null;
  const isSurplus = claim.surplus !== null || status === 'completed';
  const decided = isSurplus ? 'surplus.title' : 'returned.title';
  const mayEnter = may && !held && status === 'refund_pending' && !claim.refund?.underWay;
  return (
    <Section
      title={t(isRefundDecided(claim) ? decided : 'returned.wouldTitle')}
      aside={
        mayEnter && !returned.isMissing ? (
          <Button size="small" onClick={() => setEditing(true)}>
            {t('returned.change')}
          </Button>
        ) : undefined
      }
    >
      <RefundFacts claim={claim} returned={returned} />
      {returned.isMissing && (
        <div className={panel.missing}>
          <p>{t('returned.asked')}</p>
          {mayEnter && (
            <Button variant="contained" onClick={() => setEditing(true)}>
              {t('returned.enter')}
            </Button>
          )}
        </div>
      )}
      {editing && <DestinationDialog claim={claim} actions={actions} onClose={() => setEditing(false)} />}
    </Section>
  );
}

type DialogProps = { claim: Claim; actions: ClaimActions; onClose: () => void };
type Draft = { values: Record<string, string>; note: string };

/** The refund destination, as the customer gave it to staff. */
function DestinationDialog({ claim, actions, onClose }: DialogProps) {
  const { t, language } = useTexts();
  const currency = useCurrencies().find(({ id }) => id === claim.from.id);
  const inputs = currency?.inputs.filter(({ receive }) => receive) ?? [];
  const entered = ({ values }: Draft) =>
    Object.fromEntries(
      inputs.flatMap(({ name }) => (values[name]?.trim() ? [[name, values[name].trim()] as const] : [])),
    );
  return (
    <FormDialog
      title={t('returned.enterTitle', { number: claim.publicId })}
      initial={{ values: {}, note: '' } as Draft}
      required={['note']}
      isReady={(draft) => inputs.length > 0 && inputs.every(({ name, required }) => !required || entered(draft)[name])}
      save={(draft) =>
        actions.setRefundDestination({
          revision: claim.revision,
          requisites: entered(draft),
          note: draft.note.trim(),
        })
      }
      done={t('returned.saved')}
      stale={STALE_BY_CLAIM}
      onClose={onClose}
    >
      {({ field, draft: { values }, change, error }) => (
        <>
          <p>{t('returned.enterText')}</p>
          {inputs.map(({ name, label, required }, index) => (
            <Field
              key={name}
              label={required ? label[language] : t('returned.optional', { label: label[language] })}
              value={values[name] ?? ''}
              error={error(`requisites.${name}`)}
              autoComplete="off"
              autoFocus={index === 0}
              onValue={(value) => change({ values: { ...values, [name]: value } })}
            />
          ))}
          <Field label={t('returned.note')} help={t('returned.noteHelp')} multiline minRows={2} {...field('note')} />
        </>
      )}
    </FormDialog>
  );
}
