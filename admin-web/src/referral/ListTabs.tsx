import { Segments, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';

/** Referrers act without the live stream announcing it: lists are read again at this pace. */
export const REFRESH_MS = 30_000;

export type ListTab = 'open' | 'past';

/** What waits for a decision, or all of it. */
export function ListTabs({ tab, texts, onTab }: { tab: ListTab; texts: string; onTab: (tab: ListTab) => void }) {
  const { t } = useTexts();
  return (
    <div className={css.chips}>
      <Segments
        label={t('referral.which')}
        value={tab}
        options={(['open', 'past'] as const).map((value) => ({ value, label: t(`referral.${texts}.${value}`) }))}
        onValue={onTab}
      />
    </div>
  );
}
