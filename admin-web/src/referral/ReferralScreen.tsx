import { useParams, useSearchParams } from 'react-router';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { Accruals } from './Accruals.tsx';
import { Programmes } from './Programmes.tsx';
import { ReferrerSheet } from './ReferrerSheet.tsx';
import { Referrers } from './Referrers.tsx';
import { Withdrawals } from './Withdrawals.tsx';

const TABS = ['withdrawals', 'accruals', 'referrers', 'programmes'] as const;
type Tab = (typeof TABS)[number];
const isTab = (text: string | null): text is Tab => TABS.includes(text as Tab);

/** Those who bring others: what they ask for, what is doubtful, who they are, and by which terms they earn. */
export default function ReferralScreen() {
  const { id } = useParams();
  return id ? <ReferrerSheet key={id} id={id} /> : <Room />;
}

function Room() {
  const { t } = useWords();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const tab = isTab(asked) ? asked : 'withdrawals';
  return (
    <Page title={t('referral.title')} line={t('referral.line')}>
      <div className={css.chips}>
        <Segments
          label={t('referral.list')}
          value={tab}
          options={TABS.map((one) => ({ value: one, label: t(`referral.tabs.${one}`) }))}
          onValue={(next) => setSearch({ tab: next })}
        />
      </div>
      {tab === 'withdrawals' && <Withdrawals />}
      {tab === 'accruals' && <Accruals />}
      {tab === 'referrers' && <Referrers />}
      {tab === 'programmes' && <Programmes />}
    </Page>
  );
}
