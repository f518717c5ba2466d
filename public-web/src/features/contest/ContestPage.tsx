import { useCallback, useEffect } from 'react';
import { call } from '../../api/client';
import type { ContestOverview } from '../../api/contest';
import { wordsFor } from '../../api/errors';
import { useAnswer } from '../../api/useAnswer';
import { Button } from '../../components/Button';
import { Notice } from '../../components/Notice';
import { Skeleton } from '../../components/Skeleton';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './ContestPage.module.css';
import { Current } from './Current';
import { Past } from './Past';

/** How often the standing is read again while somebody looks. */
const RENEW_MS = 30_000;

/** The live part of the contest's page: the contest of this time, and the draws before it. */
export function ContestPage() {
  const t = useT('contest');
  const common = useT('common');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /contest/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [again]);
  if (answer.state === 'waiting') {
    return (
      <>
        <span className="vh" role="status">
          {t('loading')}
        </span>
        <Skeleton className={styles.blank} />
      </>
    );
  }
  if (answer.state === 'failed') {
    return (
      <Notice tone="danger" live>
        <p>{wordsFor(answer.error, common)}</p>
        <Button size="small" onClick={again}>
          {t('try_again')}
        </Button>
      </Notice>
    );
  }
  return <Overview overview={answer.value} again={again} />;
}

function Overview({ overview, again }: { overview: ContestOverview; again: () => void }) {
  const t = useT('contest');
  const { current, past } = overview;
  return (
    <>
      {current ? (
        <Current key={current.id} contest={current} onTurn={again} />
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
