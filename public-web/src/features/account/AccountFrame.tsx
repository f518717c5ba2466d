import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Customer } from '../../api/types';
import { Head } from '../../components/Head';
import { Link } from '../../components/Link';
import { LoadFailure } from '../../components/LoadFailure';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useCustomer } from '../../session/guards';
import { useSession } from '../../session/session';
import { restore } from '../../session/tabSession';
import { useSite } from '../../site';
import styles from './AccountFrame.module.css';

interface AccountFrameProps {
  title: string;
  /** Shown until the session is known. */
  blank: ReactNode;
  children: (customer: Customer) => ReactNode;
}

/** The frame of the account's pages: the guard, the heading and the navigation. */
export function AccountFrame({ title, blank, children }: AccountFrameProps) {
  const t = useT('account');
  const { siteName } = useSite();
  const customer = useCustomer();
  return (
    <>
      <Head title={`${title} | ${siteName}`} />
      <div className={`wrap ${styles.page}`}>
        <h1>{t('title')}</h1>
        <Ways />
        {customer ? <Fragment key={customer.id}>{children(customer)}</Fragment> : <Waiting blank={blank} />}
      </div>
    </>
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
  // On a phone the navigation is wider than the screen, and the current link may be out of view.
  useEffect(() => {
    const taken = bar.current?.querySelector(`[aria-current][href^="${here}"]`);
    taken?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  return (
    <nav ref={bar} className={styles.links} aria-label={t('title')}>
      {ways.map(({ to, name }) => (
        <Link key={to} to={to} aria-current={to === here ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** Until the session is known; shows why it cannot be restored. */
function Waiting({ blank }: { blank: ReactNode }) {
  const session = useSession();
  const error = session.phase === 'unknown' ? session.error : undefined;
  if (error === undefined) return blank;
  return <LoadFailure error={error} again={restore} />;
}
