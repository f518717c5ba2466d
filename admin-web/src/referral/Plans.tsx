import type { Schema } from '@agio/client/admin';
import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import { useState } from 'react';
import { api, useList, useMayEdit } from '../api/index.ts';
import {
  AuditLink,
  Button,
  Choice,
  DataTable,
  Field,
  type Form,
  FormDialog,
  IconButton,
  NumberField,
  useTexts,
} from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { type Draft, draftOf, termsOf } from './draft.ts';
import own from './Referral.module.css';

type Plan = Schema<'ReferralPlanView'>;

/** The plans by which referrers earn. */
export function Plans() {
  const { t, amountText, percentText, dateTimeText } = useTexts();
  const list = useList('/referral/plans');
  const mayEdit = useMayEdit('referralTerms');
  const [editing, setEditing] = useState<Plan | 'new' | null>(null);
  return (
    <>
      <p className={own.text}>{t('referral.plansText')}</p>
      <DataTable
        list={list}
        bones={{ rows: 3, height: 42 }}
        rowKey={(row) => row.id}
        button={mayEdit && { label: t('action.edit'), name: (row) => row.name, onClick: setEditing }}
        columns={[
          {
            head: t('referral.plan'),
            cell: (row) => (
              <>
                <strong>{row.name}</strong>
                <span className={css.line}>
                  {row.common ? t('referral.forAll') : t('referral.forSome', { smart_count: row.referrers })}
                </span>
              </>
            ),
          },
          {
            head: t('referral.tiers'),
            look: ['full'],
            cell: (row) => (
              <>
                {t(`referral.kinds.${row.kind}`)}
                <span className={css.line}>
                  {row.tiers
                    .map(({ from, percent }) =>
                      t('referral.tierLine', {
                        from: amountText(from),
                        percent: percentText(percent),
                      }),
                    )
                    .join('; ')}
                </span>
              </>
            ),
          },
          { head: t('referral.holdHours'), label: true, cell: (row) => row.holdHours },
          { head: t('referral.withdrawalMin'), label: true, cell: (row) => row.withdrawalMin },
          {
            head: t('fields.changed'),
            look: ['small'],
            cell: (row) =>
              row.changedBy ? `${row.changedBy}, ${dateTimeText(row.changedAt)}` : t('referral.asShipped'),
          },
        ]}
      />
      {mayEdit && (
        <div className={own.bar}>
          <Button onClick={() => setEditing('new')}>{t('referral.addPlan')}</Button>
        </div>
      )}
      {editing && <PlanDialog plan={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    </>
  );
}

/** The terms of a plan. What was earned stays as it is. */
function PlanDialog({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t(plan ? 'referral.editTitle' : 'referral.addTitle')}
      initial={() => draftOf(plan)}
      required={['name', 'minCommission', 'holdHours', 'withdrawalMin']}
      isReady={(draft) => termsOf(draft) !== null}
      save={(draft) => {
        const terms = termsOf(draft) as Schema<'ReferralPlanRequest'>;
        return plan
          ? api.PUT('/referral/plans/{id}', {
              params: { path: { id: plan.id } },
              body: { revision: plan.revision, terms },
            })
          : api.POST('/referral/plans', { body: terms });
      }}
      errorsAt="terms"
      done={t('state.saved')}
      stale={['/referral*']}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Field label={t('fields.name')} {...form.field('name')} />
          <Choice
            label={t('partners.commissionKind')}
            options={(['profit', 'amount'] as const).map((value) => ({ value, label: t(`referral.kinds.${value}`) }))}
            {...form.field('kind')}
          />
          <Tiers form={form} />
          {(['minCommission', 'holdHours', 'withdrawalMin'] as const).map((name) => (
            <NumberField
              key={name}
              label={t(`referral.${name}`)}
              help={t(`referral.${name}Help`)}
              {...form.field(name)}
            />
          ))}
          {plan && <AuditLink kind="referral_plan" id={plan.id} />}
        </>
      )}
    </FormDialog>
  );
}

function Tiers({ form: { draft, change, error } }: { form: Form<Draft> }) {
  const { t } = useTexts();
  const { tiers } = draft;
  const replace = (index: number, part: Partial<Draft['tiers'][number]>) =>
    change({ tiers: tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)) });
  return (
    <>
      {tiers.map((tier, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no name of its own but its place.
        <div key={index} className={own.tier}>
          <NumberField
            label={t('referral.tierFrom')}
            value={tier.from}
            disabled={index === 0}
            error={error(`tiers[${index}].from`)}
            onValue={(from) => replace(index, { from })}
          />
          <NumberField
            label={t('fields.percent')}
            value={tier.percent}
            error={error(`tiers[${index}].percent`)}
            onValue={(percent) => replace(index, { percent })}
          />
          <IconButton
            aria-label={t('action.removeTier', { number: index + 1 })}
            disabled={index === 0}
            onClick={() => change({ tiers: tiers.filter((_, at) => at !== index) })}
          >
            <DeleteOutlined fontSize="small" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button onClick={() => change({ tiers: [...tiers, { from: '', percent: '' }] })}>{t('action.addTier')}</Button>
      </div>
    </>
  );
}
