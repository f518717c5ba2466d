import { timeText } from '@agio/client/format';
import { ApiError } from '@agio/client/problem';
import { useEffect, useState } from 'react';
import { call } from '../api/client';
import type { ClaimStatus } from '../api/types';
import { forgetClaim, setAccountClaims } from '../claimMemory';
import { serialText } from '../components/amounts';
import { Countdown } from '../components/Countdown';
import { cx } from '../components/cx';
import { Icon } from '../components/Icon';
import { Link } from '../components/Link';
import { type Locale, useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { usePaths } from '../i18n/usePaths';
import { useClaimChanges } from './changes';
import styles from './OpenClaims.module.css';
import { lacksDestination, needsPhotos, PROGRESS, shownState } from './progress';

/** How often the claims are asked for while the page is visible. */
const EVERY = 30_000;

interface OpenClaimsProps {
  ids: string[];
  /** Whether a customer is signed in, whose claims are looked up. */
  isIn: boolean;
  /** Called when the list of open claims changed. */
  onChange: () => void;
}

/** The open claims, each with its state and its deadline; the most urgent first. */
export function OpenClaims({ ids, isIn, onChange }: OpenClaimsProps) {
  const t = useT('account');
  const claims = useClaims(ids, onChange);
  useAccountClaims(isIn, onChange);
  const shown = claims.filter(({ id }) => ids.includes(id)).sort(byDeadline);
  if (shown.length === 0) return null;
  return (
    <nav className={cx('wrap', styles.bar)} aria-label={t('open_claims.label')}>
      <ul className={styles.list}>
        {shown.map((claim) => (
          <OpenClaim key={claim.id} claim={claim} />
        ))}
      </ul>
    </nav>
  );
}

/** The nearest deadline first, claims without one last. */
export function byDeadline(a: Pick<ClaimStatus, 'expiresAt'>, b: Pick<ClaimStatus, 'expiresAt'>): number {
  const end = ({ expiresAt }: typeof a) => (expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
  return end(a) === end(b) ? 0 : end(a) - end(b);
}

function OpenClaim({ claim }: { claim: ClaimStatus }) {
  const { id, publicId, status, expiresAt } = claim;
  const t = useT('account');
  const paths = usePaths();
  const lacksPhotos = needsPhotos(claim);
  const needsAnswer = lacksDestination(claim);
  return (
    <li>
      <Link
        className={cx(styles.claim, (lacksPhotos || needsAnswer || PROGRESS[status] === 'act') && styles.act)}
        to={paths.claimById(id)}
      >
        <b className="num nb">{`№\u00a0${serialText(publicId)}`}</b>
        <span className={styles.state}>
          {t(lacksPhotos ? 'status.photos' : `status.${needsAnswer ? 'amount_mismatch' : shownState(claim)}`)}
        </span>
        {expiresAt === null ? null : (
          <span className="num nb">
            {t('open_claims.until', { time: timeText(expiresAt) })} (
            <Countdown until={expiresAt} className={styles.left} />)
          </span>
        )}
        <Icon name="arrow" className={styles.arrow} />
      </Link>
    </li>
  );
}

/** The claims' states, renewed while the page is visible. What has ended is forgotten. */
function useClaims(ids: string[], onChange: () => void): ClaimStatus[] {
  const locale = useLocale();
  const [claims, setClaims] = useState<ClaimStatus[]>([]);
  const key = ids.join();
  const changes = useClaimChanges();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other or changed claims are a reason to ask at once.
  useEffect(() => {
    if (key === '') return;
    let current = true;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      const found = await Promise.all(key.split(',').map((id) => statusOf(locale, id)));
      if (!current) return;
      // A claim that could not be asked for stays as it was.
      setClaims((known) =>
        found.flatMap((claim, at) => claim ?? known.find(({ id }) => id === key.split(',')[at]) ?? []),
      );
      if (found.some((claim) => claim === null)) onChange();
    };
    look();
    const timer = setInterval(look, EVERY);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [key, locale, changes]);
  return claims;
}

/** Null for one that has ended, is unknown, or cannot be asked for now. */
async function statusOf(locale: Locale, id: string): Promise<ClaimStatus | null> {
  try {
    const claim = await call(locale, 'GET /claim/{id}/status/', { path: { id }, quiet: true });
    if (!claim.isFinal) return claim;
  } catch (error) {
    const isUnknown = error instanceof ApiError && (error.status === 404 || error.status === 400);
    if (!isUnknown) return null;
  }
  forgetClaim(id);
  return null;
}

/** Looks up the customer's open claims, which may have been created elsewhere. */
function useAccountClaims(isIn: boolean, onChange: () => void): void {
  const locale = useLocale();
  // biome-ignore lint/correctness/useExhaustiveDependencies: signing in is the reason to look.
  useEffect(() => {
    if (!isIn) return;
    let current = true;
    call(locale, 'GET /users/me/claims/', { query: { page: 1, size: 20 }, quiet: true }).then(({ items }) => {
      if (!current) return;
      const isOpen = ({ status }: (typeof items)[number]) =>
        ['act', 'wait'].includes(PROGRESS[status]) || status === 'on_hold';
      setAccountClaims(items.filter(isOpen).map(({ id }) => id));
      onChange();
    }, console.error);
    return () => {
      current = false;
    };
  }, [isIn, locale]);
}
