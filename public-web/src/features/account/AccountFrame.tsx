import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Customer } from '../../api/account';
import { Head } from '../../components/Head';
import { Layout } from '../../components/Layout';
import { Link } from '../../components/Link';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useCustomer } from '../../session/guards';
import { restore } from '../../session/keeping';
import { useSession } from '../../session/session';
import { useSite } from '../../site';
import styles from './AccountFrame.module.css';
import { LoadFailure } from './LoadFailure';

interface AccountFrameProps {
  title: string;
  /** Stands where the page will, until it is known whose it is. */
  blank: ReactNode;
  children: (customer: Customer) => ReactNode;
}

/** What the pages of the account stand in: the guard, the heading, the ways between them. */
export function AccountFrame({ title, blank, children }: AccountFrameProps) {
  const t = useT('account');
  const { siteName } = useSite();
  const customer = useCustomer();
  return (
    <Layout>
      <Head title={`${title} | ${siteName}`} />
      <div className={`wrap ${styles.page}`}>
        <h1>{t('title')}</h1>
        <Ways />
        {customer ? <Fragment key={customer.id}>{children(customer)}</Fragment> : <Waiting blank={blank} />}
      </div>
    </Layout>
  );
}

function Ways() {
  const t = useT('account');
  const paths = usePaths();
  const { pathname } = useLocation();
  const ways = [
    { to: paths.account(), name: t('overview') },
    { to: paths.orders(), name: t('orders') },
    { to: `${paths.account()}/referrer`, name: t('referrer') },
    { to: paths.settings(), name: t('settings') },
    { to: `${paths.account()}/partner`, name: t('partner') },
  ];
  const here = pathname.replace(/\/$/, '');
  const bar = useRef<HTMLElement>(null);
  // On a phone the ways are wider than the screen, and the one that was taken may be out of sight.
  useEffect(() => {
    const taken = bar.current?.querySelector(`[aria-current][href^="${here}"]`);
    taken?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav ref={bar} className={styles.ways} aria-label={t('title')}>
      {ways.map(({ to, name }) => (
        <Link key={to} to={to} aria-current={to === here ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** Until it is known who is here; says so when it can't be found out. */
function Waiting({ blank }: { blank: ReactNode }) {
  const session = useSession();
  const trouble = session.phase === 'unknown' ? session.trouble : undefined;
  if (trouble === undefined) {
    return blank;
  }
  return <LoadFailure error={trouble} again={restore} />;
}
