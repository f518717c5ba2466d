import { useSearchParams } from 'react-router';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { Customers } from './Customers.tsx';
import { Promos } from './Promos.tsx';
import { TierTable } from './TierTable.tsx';

const TABS = ['tiers', 'promos', 'customers'] as const;
type Tab = (typeof TABS)[number];
const isTab = (text: string | null): text is Tab => TABS.includes(text as Tab);

/** What customers get on top of the rate: the tiers, the promo codes, and who has what. */
export default function DiscountsScreen() {
  const { t } = useWords();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const tab = isTab(asked) ? asked : 'tiers';
  return (
    <Page title={t('discounts.title')} line={t('discounts.line')}>
      <div className={css.chips}>
        <Segments
          label={t('discounts.parts')}
          value={tab}
          options={TABS.map((one) => ({ value: one, label: t(`discounts.tabs.${one}`) }))}
          onValue={(next) => setSearch({ tab: next })}
        />
      </div>
      {tab === 'tiers' && <TierTable />}
      {tab === 'promos' && <Promos />}
      {tab === 'customers' && <Customers />}
    </Page>
  );
}
