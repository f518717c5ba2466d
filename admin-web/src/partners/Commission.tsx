import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useMayEdit } from '../api/index.ts';
import { Amount, Button, DataTable, Field, FormDialog, Segments, Sum, useTexts, useUnits } from '../ui/index.ts';
import css from './Partners.module.css';

type Partner = Schema<'PartnerSummary'>;
type Earnings = Schema<'PartnerEarnings'>;

const KINDS = ['profit', 'amount'] as const;

/** A partner's commission: its terms, what was earned and what was paid. */
export function Commission({ details, mayEdit }: { details: Schema<'PartnerDetails'>; mayEdit: boolean }) {
  const { t, percentText, dateTimeText } = useTexts();
  const units = useUnits();
  const mayPay = useMayEdit('partnerPayouts');
  const [open, setOpen] = useState<'terms' | 'pay' | null>(null);
  const { partner, earnings, payouts } = details;
  const { commissionKind: kind, commissionPercent: percent } = partner;
  const close = () => setOpen(null);
  return (
    <>
      <div className={css.head}>
        <h2 className={css.heading}>{t('partners.commission')}</h2>
        <span className={css.buttons}>
          {mayEdit && <Button onClick={() => setOpen('terms')}>{t('action.edit')}</Button>}
          {mayPay && earnings.length > 0 && <Button onClick={() => setOpen('pay')}>{t('partners.pay')}</Button>}
        </span>
      </div>
      <p>
        {Number(percent) === 0
          ? t('partners.noCommission')
          : t(`partners.commissionOf.${kind}`, { percent: percentText(percent) })}
      </p>
      <DataTable
        list={earnings}
        rowKey={(row) => row.currency}
        columns={[
          {
            head: t('things.currency'),
            look: ['whole', 'full'],
            cell: (row) => units.get(row.currency) ?? row.currency,
          },
          { head: t('partners.completed'), number: true, cell: (row) => row.claims },
          ...(['earned', 'balance', 'debt'] as const).map((name) => ({
            head: t(`partners.${name}`),
            number: true,
            cell: (row: Earnings) => <Amount value={row[name]} />,
          })),
        ]}
      />
      <DataTable
        list={payouts}
        rowKey={(row) => row.id}
        columns={[
          { head: t('partners.paid'), look: ['whole'], cell: (row) => <Sum value={row.amount} code={row.currency} /> },
          { head: t('fields.transaction'), look: ['full'], className: css.url, cell: (row) => row.tx },
          {
            head: t('fields.when'),
            look: ['small'],
            cell: (row) => `${dateTimeText(row.createdAt)}, ${row.paidBy}`,
          },
        ]}
      />
      {open === 'terms' && <TermsDialog partner={partner} onClose={close} />}
      {open === 'pay' && <PayoutDialog partner={partner} earnings={earnings} onClose={close} />}
    </>
  );
}

/** The commission from now on; what was earned stays as it is. */
function TermsDialog({ partner, onClose }: { partner: Partner; onClose: () => void }) {
  const { t } = useTexts();
  const { id, revision, commissionKind, commissionPercent } = partner;
  return (
    <FormDialog
      title={t('partners.commission')}
      initial={{ commissionKind, commissionPercent }}
      required={['commissionPercent']}
      save={(draft) =>
        api.PATCH('/partners/{id}', {
          params: { path: { id } },
          body: { ...draft, revision, commissionPercent: draft.commissionPercent.trim().replace(',', '.') },
        })
      }
      done={t('partners.saved')}
      stale={['/partners*']}
      onClose={onClose}
    >
      {({ field, draft, change }) => (
        <>
          <Segments
            label={t('partners.commissionKind')}
            value={draft.commissionKind}
            options={KINDS.map((value) => ({ value, label: t(`partners.kinds.${value}`) }))}
            onValue={(value) => change({ commissionKind: value })}
          />
          <p className={css.muted}>{t(`partners.kindHelp.${draft.commissionKind}`)}</p>
          <Field label={t('fields.percent')} autoComplete="off" autoFocus {...field('commissionPercent')} />
        </>
      )}
    </FormDialog>
  );
}

type PayoutProps = { partner: Partner; earnings: Earnings[]; onClose: () => void };

/** Notes that a part of a partner's balance was paid; above the limit a second person approves. */
function PayoutDialog({ partner, earnings, onClose }: PayoutProps) {
  const { t } = useTexts();
  const units = useUnits();
  const nameOf = (code: string) => units.get(code) ?? code;
  const balanceOf = (code: string) => earnings.find((row) => row.currency === code)?.balance ?? '';
  const first = earnings[0]?.currency ?? '';
  return (
    <FormDialog
      title={t('partners.payTitle', { name: partner.name })}
      initial={{ currency: first, amount: balanceOf(first), txId: '' }}
      required={['amount', 'txId']}
      save={({ currency, amount, txId }, once) =>
        api.POST('/partners/{id}/payouts', {
          ...once,
          params: { path: { id: partner.id } },
          body: { currency, amount: amount.trim().replace(',', '.'), txId: txId.trim() },
        })
      }
      submit={t('partners.pay')}
      done={t('partners.paidDone')}
      stale={[`/partners/${partner.id}`, '/reserves']}
      onClose={onClose}
    >
      {({ field, draft, change }) => (
        <>
          <p>{t('partners.payText')}</p>
          {earnings.length > 1 && (
            <Segments
              label={t('things.currency')}
              value={draft.currency}
              options={earnings.map(({ currency }) => ({ value: currency, label: nameOf(currency) }))}
              onValue={(currency) => change({ currency, amount: balanceOf(currency) })}
            />
          )}
          <Field label={`${t('fields.amount')}, ${nameOf(draft.currency)}`} autoComplete="off" {...field('amount')} />
          <Field label={t('fields.transaction')} autoComplete="off" autoFocus {...field('txId')} />
        </>
      )}
    </FormDialog>
  );
}
