import { useSearchParams } from 'react-router';
import { ButtonLink } from '../../../components/Button';
import { LoadFailure } from '../../../components/LoadFailure';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { AccountFrame } from '../AccountFrame';
import { BlankList, ClaimList } from './ClaimList';
import styles from './OrdersPage.module.css';
import { Pager } from './Pager';
import { useCustomerClaims } from './useCustomerClaims';

const SIZE = 20;

export function Component() {
  const t = useT('account');
  return (
    <AccountFrame title={t('orders')} blank={<BlankList lines={6} />}>
      {() => <Claims />}
    </AccountFrame>
  );
}

function Claims() {
  const t = useT('account');
  const [query] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const [answer, again] = useCustomerClaims(page, SIZE);
  if (answer.state === 'loading') return <BlankList lines={6} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const { claims } = answer.value;
  if (claims.total === 0) return <NoClaims />;
  return (
    <section aria-label={t('orders')}>
      <ClaimList {...answer.value} />
      <Pager list={claims} />
    </section>
  );
}

export function NoClaims() {
  const t = useT('account');
  const paths = usePaths();
  return (
    <div className={styles.none}>
      <h2>{t('orders.none')}</h2>
      <p className="muted">{t('orders.none_more')}</p>
      <ButtonLink look="main" to={paths.home()}>
        {t('orders.begin')}
      </ButtonLink>
    </div>
  );
}
