import { percentText } from '@agio/client/format';
import type { Customer } from '../../../api/types';
import { Link } from '../../../components/Link';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { AccountFrame } from '../AccountFrame';
import { BlankList, ClaimList } from '../orders/ClaimList';
import { NoClaims } from '../orders/OrdersPage';
import { useCustomerClaims } from '../orders/useCustomerClaims';
import { ActivationBanner } from './ActivationBanner';
import styles from './OverviewPage.module.css';
import { VerificationBanner } from './VerificationBanner';

const LAST = 3;

export function Component() {
  const t = useT('account');
  return (
    <AccountFrame title={t('title')} blank={<Blank />}>
      {(customer) => <Overview customer={customer} />}
    </AccountFrame>
  );
}

function Overview({ customer }: { customer: Customer }) {
  const [answer, again] = useCustomerClaims(1, LAST);
  return (
    <>
      {customer.activated ? null : <ActivationBanner />}
      <VerificationBanner />
      <Facts customer={customer} claims={answer.state === 'ready' ? answer.value.claims.total : null} />
      {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      {answer.state === 'loading' ? <LastClaims>{<BlankList lines={LAST} />}</LastClaims> : null}
      {answer.state === 'ready' && answer.value.claims.total === 0 ? <NoClaims /> : null}
      {answer.state === 'ready' && answer.value.claims.total > 0 ? (
        <LastClaims>
          <ClaimList {...answer.value} />
        </LastClaims>
      ) : null}
    </>
  );
}

function Facts({ customer, claims }: { customer: Customer; claims: number | null }) {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const hasBonus = Number(customer.bonus) > 0;
  return (
    <dl className={`${styles.facts} num`}>
      <div className={styles.wide}>
        <dt>{t('email')}</dt>
        <dd className={styles.email}>{customer.email}</dd>
        <dd className="small muted">{customer.activated ? t('overview.confirmed') : t('overview.unconfirmed')}</dd>
      </div>
      <div>
        <dt>{t('overview.bonus')}</dt>
        <dd>{hasBonus ? percentText(customer.bonus, locale) : t('overview.no_bonus')}</dd>
        {hasBonus ? <dd className="small muted">{t('overview.bonus_more')}</dd> : null}
        <dd className="small">
          <Link to={paths.discounts()}>{t('overview.next_step')}</Link>
        </dd>
      </div>
      <div>
        <dt>{t('orders')}</dt>
        <dd>{claims ?? <Skeleton className={styles.number} />}</dd>
        <dd className="small">
          <Link to={paths.orders()}>{t('overview.all_claims')}</Link>
        </dd>
      </div>
      <div>
        <dt>{t('overview.way_in')}</dt>
        <dd>{customer.totp ? t('overview.with_code') : t('overview.password_alone')}</dd>
        <dd className="small">
          <Link to={`${paths.settings()}#code`}>{t('overview.change')}</Link>
        </dd>
      </div>
    </dl>
  );
}

function LastClaims({ children }: { children: React.ReactNode }) {
  const t = useT('account');
  return (
    <section className={styles.last} aria-labelledby="last-claims">
      <h2 id="last-claims">{t('overview.last')}</h2>
      {children}
    </section>
  );
}

function Blank() {
  return (
    <>
      <div className={styles.facts} aria-hidden="true">
        {['wide', 'bonus', 'claims', 'way-in'].map((name) => (
          <div key={name} className={name === 'wide' ? styles.wide : undefined}>
            <Skeleton className={styles.fact} />
          </div>
        ))}
      </div>
      <LastClaims>
        <BlankList lines={LAST} />
      </LastClaims>
    </>
  );
}
