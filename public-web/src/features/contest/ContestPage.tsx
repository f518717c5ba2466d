import { useCallback, useEffect } from 'react';
import { call } from '../../api/client';
import type { ContestOverview } from '../../api/types';
import { useAnswer } from '../../api/useAnswer';
import { LoadFailure } from '../../components/LoadFailure';
import { Skeleton } from '../../components/Skeleton';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './ContestPage.module.css';
import { Current } from './Current';
import { Past } from './Past';

/** How often the ranking is reloaded. */
const RENEW_MS = 30_000;

/** The current contest, and past draws. */
export function ContestPage() {
  const t = useT('contest');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /contest/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [again]);
  if (answer.state === 'loading') {
    return (
      <>
        <span className="vh" role="status">
          {t('loading')}
        </span>
        <Skeleton isOpen />
      </>
    );
  }
  if (answer.state === 'failed') {
    return <LoadFailure error={answer.error} again={again} />;
  }
  return <Overview overview={answer.value} again={again} />;
}

function Overview({ overview, again }: { overview: ContestOverview; again: () => void }) {
  const t = useT('contest');
  const { current, past } = overview;
  return (
    <>
      {current ? (
        <Current key={current.id} contest={current} onPhaseEnd={again} />
      ) : (
        <p className={styles.lead}>{t(overview.on ? 'none_now' : 'off')}</p>
      )}
      {past.length > 0 ? (
        <section className={styles.section} aria-labelledby="past">
          <h2 id="past">{t('past')}</h2>
          <ul className={styles.past}>
            {past.map((contest) => (
              <Past key={contest.id} contest={contest} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
