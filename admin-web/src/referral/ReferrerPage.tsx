import type { Schema } from '@agio/client/admin';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, useAction, useGet, useList, useMayEdit } from '../api/index.ts';
import { Amount, AuditLink, Choice, DataTable, Facts, Loaded, Page, Refusal, Sum, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { CommissionTable } from './Commissions.tsx';
import own from './Referral.module.css';

/** A referrer: numbers, plan, referred customers and commissions. */
export function ReferrerPage({ id }: { id: string }) {
  const { t } = useTexts();
  const answer = useGet('/referral/referrers/{id}', { path: { id } });
  return (
    <Page
      title={answer.data?.referrer.email ?? t('things.referrer')}
      line={<Link to="/referral?tab=referrers">{t('action.back')}</Link>}
      actions={<AuditLink kind="referrer" id={id} />}
    >
      <Loaded answer={answer} bones={{ height: 42 }}>
        {(details) => <Details details={details} />}
      </Loaded>
    </Page>
  );
}

function Details({ details }: { details: Schema<'ReferrerDetails'> }) {
  const { t, percentText } = useTexts();
  const { referrer, referredBy, referrals, commissions } = details;
  const money = (value: string): ReactNode => <Sum value={value} code={referrer.currency} />;
  return (
    <>
      <Facts
        look="numbers"
        facts={[
          [t('fields.code'), referrer.code],
          [t('referral.share'), percentText(referrer.percent)],
          [t('referral.volume'), <Amount key="volume" value={referrer.volume} />],
          [t('referral.visits'), referrer.visits],
          [t('referral.registrations'), referrer.registrations],
          [t('referral.claims'), referrer.claims],
          [t('referral.earned'), money(referrer.earned)],
          [t('referral.balance'), money(referrer.balance)],
          [t('referral.pending'), money(referrer.pending)],
          [t('referral.debt'), money(referrer.debt)],
          [t('referral.paid'), money(referrer.paid)],
        ]}
      />
      {referredBy && (
        <p className={own.text}>
          {t('referral.referredBy')} <Link to={`/referral/${referredBy.id}`}>{referredBy.email}</Link>
        </p>
      )}
      <PlanChoice referrer={referrer} />
      <h2 className={own.section}>{t('referral.referrals')}</h2>
      <Referrals rows={referrals} />
      <h2 className={own.section}>{t('referral.lastEarned')}</h2>
      <CommissionTable list={commissions} empty={<p className={own.text}>{t('referral.noCommissions.past')}</p>} />
    </>
  );
}

function PlanChoice({ referrer: { id, planId } }: { referrer: Schema<'ReferrerSummary'> }) {
  const { t } = useTexts();
  const mayEdit = useMayEdit('referralTerms');
  const plans = useList('/referral/plans').rows;
  const assign = useAction({
    run: (plan: string) =>
      api.PUT('/referral/referrers/{id}/plan', { params: { path: { id } }, body: { planId: plan || null } }),
    done: t('state.saved'),
    stale: ['/referral*'],
  });
  return (
    <div className={own.text}>
      <Choice
        label={t('referral.plan')}
        value={plans.length > 0 ? (planId ?? '') : ''}
        disabled={!mayEdit || assign.isPending}
        options={[
          { value: '', label: t('referral.commonTerms') },
          ...plans.filter(({ common }) => !common).map((plan) => ({ value: plan.id, label: plan.name })),
        ]}
        onValue={(plan) => assign.mutate(plan)}
      />
      <Refusal error={assign.error} />
    </div>
  );
}

function Referrals({ rows }: { rows: Schema<'ReferredCustomerView'>[] }) {
  const { t, dateTimeText } = useTexts();
  return (
    <DataTable
      list={rows}
      empty={<p className={own.text}>{t('referral.nobody')}</p>}
      rowKey={(row) => `${row.customerId} ${row.email}`}
      columns={[
        {
          head: t('referral.referred'),
          className: own.email,
          cell: (row) => (
            <>
              {row.customerId && row.code ? <Link to={`/referral/${row.customerId}`}>{row.email}</Link> : row.email}
              {!row.customerId && <span className={css.small}> {t('state.guest')}</span>}
            </>
          ),
        },
        { head: t('fields.since'), look: ['small', 'end'], cell: (row) => dateTimeText(row.createdAt) },
        { head: t('referral.claims'), number: true, cell: (row) => row.claims },
        { head: t('referral.earned'), number: true, cell: (row) => <Amount value={row.earned} /> },
        { head: t('referral.theirReferrals'), number: true, cell: (row) => row.referrals },
      ]}
    />
  );
}
