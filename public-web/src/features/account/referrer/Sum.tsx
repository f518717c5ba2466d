import { writeAmount } from '../../../components/amounts';
import { useUnit } from '../../../components/money';
import { useLocale } from '../../../i18n/locale';
import styles from './referrer.module.css';

/** A large amount with its unit in small letters, which go below it where there is no room beside it. */
export function Sum({ value, code }: { value: string; code: string }) {
  const locale = useLocale();
  const unit = useUnit();
  return (
    <>
      <span className="nb">{writeAmount(value, locale)}</span> <span className={styles.unit}>{unit(code)}</span>
    </>
  );
}
