import { useNow } from '../ui/clock.ts';
import { useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';

/** When a delivery ended or is tried next, and how often it was tried. */
export function DeliveryTime({ at, attempts }: { at: string | null; attempts: number }) {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  return (
    <>
      {at && <time dateTime={at}>{dateTimeText(at, now)}</time>}
      {attempts > 0 && <span className={table.line}>{t('mail.attempts', { smart_count: attempts })}</span>}
    </>
  );
}
