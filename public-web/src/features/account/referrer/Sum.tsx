import { unitOf, writeAmount } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import styles from './referrer.module.css';

/** A large amount with its unit in small letters, which go below it where there is no room beside it. */
export function Sum({ value, unit }: { value: string; unit: string }) {
  const locale = useLocale();
  return (
    <>
      <span className="nb">{writeAmount(value, locale)}</span> <span className={styles.unit}>{unitOf(unit)}</span>
    </>
  );
}
