import type { Direction } from '../../../api/types';
import { reserveText } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { useReserves } from '../useReserves';
import styles from './sections.module.css';

interface ReservesProps {
  directions: Map<number, Direction> | null;
  isClosed: boolean;
}

export function Reserves({ directions, isClosed }: ReservesProps) {
  const t = useT('home');
  const locale = useLocale();
  const reserves = useReserves();
  const shown = [...(directions?.values() ?? [])].filter(({ id, receive }) => receive && reserves?.has(id));
  return (
    <section className={styles.section} aria-labelledby="reserves">
      <div className={styles.head}>
        <h2 id="reserves">{t('reserves')}</h2>
      </div>
      {isClosed && shown.length === 0 ? (
        <p className="muted">{t('reserves_none')}</p>
      ) : (
        <ul className={styles.reserves}>
          {shown.length === 0
            ? Array.from({ length: 12 }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else.
                <li key={index}>
                  <span className={`skeleton ${styles.reserveBlank}`} />
                </li>
              ))
            : shown.map((of) => (
                <li key={of.id}>
                  <Coin of={of} size="small" />
                  <span className={styles.reserveName}>{of.name}</span>
                  <span className={`${styles.reserveValue} num`}>
                    {reserveText(reserves?.get(of.id) ?? '0', of.ticker, locale)}
                  </span>
                </li>
              ))}
        </ul>
      )}
    </section>
  );
}
