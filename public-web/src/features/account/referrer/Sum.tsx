import { amountText } from '@agio/client/format';
import { useUnit } from '../../../components/money';
import { useLocale } from '../../../i18n/locale';
import styles from './referrer.module.css';

/** A large amount with a small unit, which wraps below it on narrow screens. */
export function Sum({ value, code }: { value: string; code: string }) {
  const locale = useLocale();
  const unit = useUnit();
  return (
    <>
      <span className="nb">{amountText(value, locale)}</span> <span className={styles.unit}>{unit(code)}</span>
    </>
  );
}
