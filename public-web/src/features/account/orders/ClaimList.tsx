import type { OwnClaim } from '../../../api/account';
import type { Currencies } from '../../../api/currencies';
import { serialText, writeMoney } from '../../../components/amounts';
import { shortName } from '../../../components/currencyName';
import { cx } from '../../../components/cx';
import { Rosette } from '../../../components/Guilloche';
import { Icon } from '../../../components/Icon';
import { Link } from '../../../components/Link';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { useSite } from '../../../site';
import { momentText } from '../moments';
import styles from './ClaimList.module.css';
import { STANDINGS } from './standing';
import type { OwnClaims } from './useOwnClaims';

/** Claims in lines, each leading to its page. */
export function ClaimList({ claims, currencies }: OwnClaims) {
  return (
    <ul className={cx(styles.claims, 'num')}>
      {claims.items.map((claim) => (
        <ClaimLine key={claim.id} claim={claim} currencies={currencies} />
      ))}
    </ul>
  );
}

function ClaimLine({ claim, currencies }: { claim: OwnClaim; currencies: Currencies }) {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const { usePublicId } = useSite();
  const sideOf = ({ code, amount }: OwnClaim['from']) => {
    const currency = currencies.get(code);
    return {
      code,
      icon: currency?.icon,
      name: currency ? shortName(currency) : code,
      money: writeMoney(amount, currency?.ticker ?? code, locale),
    };
  };
  const [from, to] = [sideOf(claim.from), sideOf(claim.to)];
  const standing = STANDINGS[claim.status];
  return (
    <li className={cx(styles.line, standing === 'act' && styles.todo)}>
      <Rosette from={from} to={to} small className={styles.print} />
      <div className={styles.from}>
        <Link className={cx(styles.amount, styles.way, 'nb')} to={paths.claimById(claim.id)}>
          {from.money}
        </Link>
        <div className="small muted">
          {from.name}
          <Icon name="arrow" className={styles.arrow} />
          <span className="vh"> {t('orders.to')} </span>
          {to.name}
        </div>
      </div>
      <div className={cx(styles.amount, styles.to, 'nb')}>{to.money}</div>
      <div className={cx(styles.when, 'small', 'muted')}>
        <span className="nb">{usePublicId ? `№\u00a0${serialText(claim.publicId)}` : claim.id.slice(0, 8)}</span>
        <span className={styles.comma}>, </span>
        <time dateTime={claim.createdAt}>{momentText(claim.createdAt, locale, new Date())}</time>
      </div>
      <div className={styles.standing}>
        <span className={styles.chip} data-standing={standing}>
          {t(`status.${claim.status}`)}
        </span>
      </div>
      <Icon name="chevron" className={styles.chevron} />
    </li>
  );
}

/** Holds the place of so many lines. */
export function BlankList({ lines }: { lines: number }) {
  return (
    <ul className={styles.claims}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else.
        <li key={index} className={styles.blank}>
          <span className="skeleton" />
        </li>
      ))}
    </ul>
  );
}
