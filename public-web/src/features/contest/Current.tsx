import type { Contest } from '../../api/contest';
import { serverNow } from '../../api/serverClock';
import { Amount } from '../../components/Amount';
import { writeAmount, writeMoney } from '../../components/amounts';
import { CopyButton } from '../../components/CopyButton';
import { Countdown } from '../../components/Countdown';
import { useUnit } from '../../components/money';
import { Perforation } from '../../components/Perforation';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './ContestPage.module.css';
import { dayText } from './dates';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The contest of this time: its prizes, the time left, how to take part, who leads, and what the draw follows from. */
export function Current({ contest, onTurn }: { contest: Contest; onTurn: () => void }) {
  const t = useT('contest');
  return (
    <>
      <section className={styles.ticket} aria-labelledby="contest-title">
        <div className={styles.head}>
          <p className="small muted">{t(`state.${contest.state}`)}</p>
          <h2 id="contest-title">{contest.title}</h2>
          <Turn contest={contest} onTurn={onTurn} />
        </div>
        <Perforation />
        <Prizes contest={contest} />
      </section>
      <Rules contest={contest} />
      <Standing contest={contest} />
      <Fairness contest={contest} />
    </>
  );
}

/** What comes next, and when. */
function Turn({ contest, onTurn }: { contest: Contest; onTurn: () => void }) {
  const t = useT('contest');
  const locale = useLocale();
  const { until, words } = nextOf(contest);
  const left = Date.parse(until) - serverNow();
  const when = dayText(until, locale);
  return (
    <p className={styles.turn}>
      {t(words, { when })}
      {left > 0 && left < 2 * DAY_MS ? (
        <>
          {' '}
          <Countdown until={until} onEnd={onTurn} className={styles.clock} />
        </>
      ) : null}
    </p>
  );
}

function nextOf(contest: Contest) {
  switch (contest.state) {
    case 'planned':
      return { until: contest.startsAt, words: 'begins' } as const;
    case 'running':
      return { until: contest.endsAt, words: 'ends' } as const;
    default:
      return { until: contest.publicAt, words: 'draws' } as const;
  }
}

function Prizes({ contest }: { contest: Contest }) {
  const unit = useUnit();
  const t = useT('contest');
  return (
    <ol className={styles.prizes} aria-label={t('prizes')}>
      {contest.prizes.map((prize) => (
        <li key={prize.place}>
          <span className="small muted">{t('place', { place: prize.place })}</span>
          <Amount className={styles.prize} value={prize.amount} ticker={unit(prize.code)} />
        </li>
      ))}
    </ol>
  );
}

function Rules({ contest }: { contest: Contest }) {
  const t = useT('contest');
  const locale = useLocale();
  const { perWorth, base, mostWeight } = contest;
  const ticket = perWorth
    ? t('ticket_per', { worth: writeMoney(perWorth, base, locale), most: writeAmount(String(mostWeight), locale) })
    : t('ticket_each');
  return (
    <section className={styles.section} aria-labelledby="rules">
      <h2 id="rules">{t('rules')}</h2>
      <p className={styles.lead}>{ticket}</p>
      {contest.rules.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph} className={styles.words}>
          {paragraph}
        </p>
      ))}
    </section>
  );
}

function Standing({ contest }: { contest: Contest }) {
  const t = useT('contest');
  if (contest.state === 'planned') return null;
  return (
    <section className={styles.section} aria-labelledby="standing">
      <h2 id="standing">{t('standing')}</h2>
      <p className="muted">
        {t('people', { count: contest.people })}, {t('tickets', { count: contest.tickets })}
      </p>
      {contest.standing.length === 0 ? (
        <p>{t('nobody')}</p>
      ) : (
        <table className={styles.standing}>
          <thead>
            <tr>
              <th scope="col">{t('who')}</th>
              <th scope="col">{t('exchanges')}</th>
              <th scope="col">{t('tickets_head')}</th>
            </tr>
          </thead>
          <tbody>
            {contest.standing.map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two people may look alike, and places are what is shown.
              <tr key={place}>
                <td>{row.name}</td>
                <td>{row.entries}</td>
                <td>{row.tickets}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** What was published so that nobody can choose the winners. */
function Fairness({ contest }: { contest: Contest }) {
  const t = useT('contest');
  return (
    <section className={styles.section} aria-labelledby="fair">
      <h2 id="fair">{t('fair')}</h2>
      <p className={styles.words}>{t('fair_words')}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('commitment')}</dt>
          <dd>
            <code className={styles.digest}>{contest.commitment}</code>
            <CopyButton value={contest.commitment} what={t('commitment')} />
          </dd>
        </div>
        <div>
          <dt>{t('source')}</dt>
          <dd>{contest.source}</dd>
        </div>
        <div>
          <dt>{t('list')}</dt>
          <dd>
            {contest.entrantsSha256 ? <code className={styles.digest}>{contest.entrantsSha256}</code> : t('list_later')}
          </dd>
        </div>
      </dl>
    </section>
  );
}
