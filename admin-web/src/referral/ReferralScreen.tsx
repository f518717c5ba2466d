import { useParams } from 'react-router';
import { Page, useTab, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { Commissions } from './Commissions.tsx';
import { Plans } from './Plans.tsx';
import { ReferrerPage } from './ReferrerPage.tsx';
import { Referrers } from './Referrers.tsx';
import { Withdrawals } from './Withdrawals.tsx';

const TABS = ['withdrawals', 'commissions', 'referrers', 'plans'] as const;

/** Referrals: withdrawals, commissions to review, referrers, and their plans. */
export default function ReferralScreen() {
  const { id } = useParams();
  return id ? <ReferrerPage key={id} id={id} /> : <Screen />;
}

function Screen() {
  const { t } = useTexts();
  const [tab, tabs] = useTab(TABS, t('referral.list'), (name) => t(`referral.tabs.${name}`));
  return (
    <Page title={t('screens.referral')} line={t('referral.line')}>
      <div className={css.chips}>{tabs}</div>
      {tab === 'withdrawals' && <Withdrawals />}
      {tab === 'commissions' && <Commissions />}
      {tab === 'referrers' && <Referrers />}
      {tab === 'plans' && <Plans />}
    </Page>
  );
}
