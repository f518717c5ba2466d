import { Page, useTab, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { DiscountCustomers } from './DiscountCustomers.tsx';
import { Promos } from './Promos.tsx';
import { TierTable } from './TierTable.tsx';

const TABS = ['tiers', 'promos', 'customers'] as const;

/** Discounts: the tiers, the promo codes, and who has which. */
export default function DiscountsScreen() {
  const { t } = useTexts();
  const [tab, tabs] = useTab(TABS, t('discounts.parts'), (name) => t(`discounts.tabs.${name}`));
  return (
    <Page title={t('screens.discounts')} line={t('discounts.line')}>
      <div className={css.chips}>{tabs}</div>
      {tab === 'tiers' && <TierTable />}
      {tab === 'promos' && <Promos />}
      {tab === 'customers' && <DiscountCustomers />}
    </Page>
  );
}
