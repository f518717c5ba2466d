import type { Direction } from '../../../api/types';
import { reserveText } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { trusted } from '../../../trusted';
import { useReserves } from '../useReserves';
import styles from './sections.module.css';

/**
 * Until the first answer: the list that the server writes into the page (platform/server/src/http/market_pages.rs), or
 * placeholders where the visitor came from another page.
 */
const WAITING = {
  __html: trusted.createHTML(
    import.meta.env.SSR
      ? 'AGIO_SLOT_RESERVES'
      : `<li><span class="skeleton ${styles.reserveBlank}"></span></li>`.repeat(12),
  ),
};

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
      ) : shown.length === 0 ? (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has written the list, and React leaves it.
        <ul key="waiting" className={styles.reserves} dangerouslySetInnerHTML={WAITING} suppressHydrationWarning />
      ) : (
        <ul className={styles.reserves}>
          {shown.map((of) => (
            <li key={of.id}>
              <Coin of={of} size="small" />
              <span className="served-name">{of.name}</span>
              <span className="served-value num">{reserveText(reserves?.get(of.id) ?? '0', of.ticker, locale)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
