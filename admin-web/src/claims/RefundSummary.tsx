import type { Claim, Currency, RefundSummary } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import panel from './ClaimPanel.module.css';
import css from './Facts.module.css';
import { Fact, Section } from './Facts.tsx';

/** What goes back to the customer, what is kept for sending it, and where it goes. */
export function RefundFacts({ claim, returned }: { claim: Claim; returned: RefundSummary }) {
  const { t } = useWords();
  const { amount, fee, destination, isMissing, tx } = returned;
  const { ticker } = claim.from;
  return (
    <dl className={css.list}>
      <div className={css.fact}>
        <dt>{t('returned.amount')}</dt>
        <dd>
          <span>
            <Amount value={amount} /> {ticker}
          </span>
          <CopyButton value={amount} label={t('returned.amount')} />
        </dd>
      </div>
      <div className={css.fact}>
        <dt>{t('returned.fee')}</dt>
        <dd>
          <span>
            <Amount value={fee} /> {ticker}
          </span>
        </dd>
      </div>
      {destination.map((requisite) => (
        <Fact key={requisite.name} name={requisite.label} value={requisite.value} kind={requisite.kind} />
      ))}
      {destination.length === 0 && (
        <div className={css.fact}>
          <dt>{t('returned.to')}</dt>
          <dd className={isMissing ? css.repeat : undefined}>{t(isMissing ? 'returned.missing' : 'returned.later')}</dd>
        </div>
      )}
      {tx && <Fact name={t('claim.tx')} value={tx} />}
    </dl>
  );
}

/** The money of a claim that is to be returned, or is returned already. */
export function RefundSection({ claim, held }: { claim: Claim; held: boolean }) {
  const { t } = useWords();
  const { canAccess: may = false } = useCanAccess({ resource: 'refunds', action: 'edit' });
  const [asked, setAsked] = useState(false);
  const { returned, status } = claim;
  if (!returned) return null;
  const decided = ['refund_pending', 'refund_sent', 'refunded'].includes(status);
  const mayEnter = may && !held && status === 'refund_pending' && !claim.refund?.underWay;
  return (
    <Section
      title={t(decided ? 'returned.title' : 'returned.wouldTitle')}
      aside={
        mayEnter && !returned.isMissing ? (
          <Button size="small" onClick={() => setAsked(true)}>
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
            <Button variant="contained" onClick={() => setAsked(true)}>
              {t('returned.enter')}
            </Button>
          )}
        </div>
      )}
      {asked && <DestinationDialog claim={claim} onClose={() => setAsked(false)} />}
    </Section>
  );
}

/** Where the customer told staff they want their payment back. */
function DestinationDialog({ claim, onClose }: { claim: Claim; onClose: () => void }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const client = useQueryClient();
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  const inputs = currencies.find(({ id }) => id === claim.from.id)?.inputs.filter(({ receive }) => receive) ?? [];
  const [values, setValues] = useState<Record<string, string>>({});
  const [note, setNote] = useState('');
  const given = Object.fromEntries(
    inputs.flatMap(({ name }) => (values[name]?.trim() ? [[name, values[name].trim()] as const] : [])),
  );
  const isWhole =
    inputs.length > 0 && note.trim() !== '' && inputs.every(({ name, required }) => !required || given[name]);
  const save = useMutation({
    mutationFn: () => api.setRefundDestination(claim.id, claim.revision, given, note.trim()),
    onSuccess: (changed) => {
      client.setQueryData(KEYS.claim(claim.id), changed);
      saved(t('returned.saved'), KEYS.claims);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const ready = isWhole && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={t('returned.enterTitle', { number: claim.publicId })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <p>{t('returned.enterText')}</p>
      {inputs.map(({ name, label, required }, index) => (
        <Field
          key={name}
          label={required ? label[language] : t('returned.optional', { label: label[language] })}
          value={values[name] ?? ''}
          error={errors[`requisites.${name}`]}
          autoComplete="off"
          autoFocus={index === 0}
          onValue={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <Field
        label={t('returned.note')}
        help={t('returned.noteHelp')}
        value={note}
        error={errors.note}
        multiline
        minRows={2}
        onValue={setNote}
      />
      <Refusal error={Object.keys(errors).length > 0 ? null : save.error} />
    </Modal>
  );
}
