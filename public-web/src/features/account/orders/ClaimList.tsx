import type { Currencies } from '../../../api/currencies';
import type { CustomerClaim } from '../../../api/types';
import { moneyText, serialText } from '../../../components/amounts';
import { shortName } from '../../../components/currencyName';
import { cx } from '../../../components/cx';
import { Rosette } from '../../../components/Guilloche';
import { Icon } from '../../../components/Icon';
import { Link } from '../../../components/Link';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { PROGRESS } from '../../../openClaims/progress';
import { useSite } from '../../../site';
import { momentText } from '../moments';
import styles from './ClaimList.module.css';
import type { CustomerClaims, ShownClaim } from './useCustomerClaims';

export function ClaimList({ claims, currencies }: CustomerClaims) {
  return (
    <ul className="num">
      {claims.items.map((claim) => (
        <ClaimLine key={claim.id} claim={claim} currencies={currencies} />
      ))}
    </ul>
  );
}

function ClaimLine({ claim, currencies }: { claim: ShownClaim; currencies: Currencies }) {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const { usePublicId } = useSite();
  const sideOf = ({ code, amount }: CustomerClaim['from']) => {
    const currency = currencies.get(code);
    return {
      code,
      icon: currency?.icon,
      name: currency ? shortName(currency) : code,
      money: moneyText(amount, currency?.ticker ?? code, locale),
    };
  };
  const [from, to] = [sideOf(claim.from), sideOf(claim.to)];
  const progress = PROGRESS[claim.status];
  return (
    <li className={cx(styles.line, progress === 'act' && styles.todo)}>
      <Rosette from={from} to={to} small className={styles.print} />
      <div>
        <Link className={cx(styles.amount, styles.link, 'nb')} to={paths.claimById(claim.id)}>
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
      <div className={styles.status}>
        <span className={styles.chip} data-progress={progress}>
          {t(`status.${claim.shown}`)}
        </span>
      </div>
      <Icon name="chevron" className={styles.chevron} />
    </li>
  );
}

export function BlankList({ lines }: { lines: number }) {
  return (
    <ul>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else.
        <li key={index} className={styles.blank}>
          <span className="skeleton" />
        </li>
      ))}
    </ul>
  );
}
