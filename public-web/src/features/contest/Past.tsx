import { useState } from 'react';
import { addressOf, call } from '../../api/client';
import { errorText } from '../../api/errors';
import type { Contest, ContestDraw } from '../../api/types';
import { Amount } from '../../components/Amount';
import { Button } from '../../components/Button';
import { useUnit } from '../../components/money';
import { Notice } from '../../components/Notice';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './ContestPage.module.css';
import { momentText } from './dates';
import type { Wrong } from './draw';

/** A drawn contest: the winners, and the check of the draw. */
export function Past({ contest }: { contest: Contest }) {
  const t = useT('contest');
  const locale = useLocale();
  const unit = useUnit();
  const file = addressOf(locale, 'GET /contest/{id}/draw/', { path: { id: contest.id } });
  return (
    <li className={styles.drawn}>
      <h3>{contest.title}</h3>
      {contest.drawnAt ? (
        <p className="small muted">{t('drawn', { when: momentText(contest.drawnAt, locale) })}</p>
      ) : null}
      <ol className={styles.winners} aria-label={t('winners')}>
        {contest.prizes.map((prize) => (
          <li key={prize.place}>
            <Amount value={prize.amount} ticker={unit(prize.code)} />
            <span>
              {prize.winner ? (
                <>
                  {prize.winner.name} <span className="small muted num">№ {prize.winner.entry}</span>
                </>
              ) : (
                t('no_winner')
              )}
            </span>
          </li>
        ))}
      </ol>
      <Check contest={contest} />
      <a className="small" href={file} download={`draw-${contest.id}.json`}>
        {t('file')}
      </a>
    </li>
  );
}

type Checked = { draw: ContestDraw; wrong: Wrong[] };

/** Recomputes the draw in the visitor's browser. The code is loaded on demand. */
function Check({ contest }: { contest: Contest }) {
  const t = useT('contest');
  const common = useT('common');
  const locale = useLocale();
  const [state, setState] = useState<'idle' | 'busy' | Checked | { failed: string }>('idle');
  const compute = async () => {
    setState('busy');
    try {
      const [{ canCheck, check }, draw] = await Promise.all([
        import('./draw'),
        call(locale, 'GET /contest/{id}/draw/', { path: { id: contest.id } }),
      ]);
      setState(canCheck() ? { draw, wrong: await check(draw) } : { failed: t('check_private') });
    } catch (error) {
      setState({ failed: errorText(error, common) });
    }
  };
  return (
    <div className={styles.check}>
      <Button size="small" disabled={state === 'busy'} onClick={compute}>
        {t(state === 'busy' ? 'checking' : 'check')}
      </Button>
      <div aria-live="polite">{typeof state === 'object' ? <Verdict state={state} /> : null}</div>
    </div>
  );
}

function Verdict({ state }: { state: Checked | { failed: string } }) {
  const t = useT('contest');
  if ('failed' in state) return <Notice tone="danger">{state.failed}</Notice>;
  const { draw, wrong } = state;
  if (wrong.length > 0) {
    return (
      <Notice tone="danger" title={t('check_wrong')}>
        <ul>
          {wrong.map((what) => (
            <li key={what}>{t(`wrong.${what}`)}</li>
          ))}
        </ul>
      </Notice>
    );
  }
  return (
    <Notice tone="positive" title={t('check_right')}>
      <p>{t('check_right_text', { count: draw.entrants.length })}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('public_value')}</dt>
          <dd>
            <code className={styles.digest}>{draw.publicValue}</code>
            <span className="small">{draw.publicReference}</span>
          </dd>
        </div>
        <div>
          <dt>{t('secret')}</dt>
          <dd>
            <code className={styles.digest}>{draw.secret}</code>
          </dd>
        </div>
      </dl>
    </Notice>
  );
}
