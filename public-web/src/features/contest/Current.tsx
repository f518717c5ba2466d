import { amountText } from '@agio/client/format';
import { serverNow } from '../../api/serverClock';
import type { Contest } from '../../api/types';
import { Amount } from '../../components/Amount';
import { moneyText } from '../../components/amounts';
import { CopyButton } from '../../components/CopyButton';
import { Countdown } from '../../components/Countdown';
import { useUnit } from '../../components/money';
import { Perforation } from '../../components/Perforation';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import styles from './ContestPage.module.css';
import { momentText } from './dates';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The current contest: prizes, time left, how to take part, the ranking, and the draw's inputs. */
export function Current({ contest, onPhaseEnd }: { contest: Contest; onPhaseEnd: () => void }) {
  const t = useT('contest');
  return (
    <>
      <section className={styles.ticket} aria-labelledby="contest-title">
        <div className={styles.head}>
          <p className="small muted">{t(`state.${contest.state}`)}</p>
          <h2 id="contest-title">{contest.title}</h2>
          <NextPhase contest={contest} onPhaseEnd={onPhaseEnd} />
        </div>
        <Perforation />
        <Prizes contest={contest} />
      </section>
      <Rules contest={contest} />
      <Progress contest={contest} />
      <Fairness contest={contest} />
    </>
  );
}

/** The next phase and its time. */
function NextPhase({ contest, onPhaseEnd }: { contest: Contest; onPhaseEnd: () => void }) {
  const t = useT('contest');
  const locale = useLocale();
  const { until, text } = nextOf(contest);
  const left = Date.parse(until) - serverNow();
  const when = momentText(until, locale);
  return (
    <p className={styles.turn}>
      {t(text, { when })}
      {left > 0 && left < 2 * DAY_MS ? (
        <>
          {' '}
          <Countdown until={until} onEnd={onPhaseEnd} className={styles.clock} />
        </>
      ) : null}
    </p>
  );
}

function nextOf(contest: Contest) {
  switch (contest.state) {
    case 'planned':
      return { until: contest.startsAt, text: 'begins' } as const;
    case 'running':
      return { until: contest.endsAt, text: 'ends' } as const;
    default:
      return { until: contest.publicAt, text: 'draws' } as const;
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
  const { volumePerTicket, base, maxTickets } = contest;
  const ticket = volumePerTicket
    ? t('ticket_per', { worth: moneyText(volumePerTicket, base, locale), most: amountText(String(maxTickets), locale) })
    : t('ticket_each');
  return (
    <section className={styles.section} aria-labelledby="rules">
      <h2 id="rules">{t('rules')}</h2>
      <p className={styles.lead}>{ticket}</p>
      {contest.rules.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph} className={styles.text}>
          {paragraph}
        </p>
      ))}
    </section>
  );
}

function Progress({ contest }: { contest: Contest }) {
  const t = useT('contest');
  if (contest.state === 'planned') return null;
  return (
    <section className={styles.section} aria-labelledby="ranking">
      <h2 id="ranking">{t('ranking')}</h2>
      <p className="muted">
        {t('people', { count: contest.participants })}, {t('tickets', { count: contest.tickets })}
      </p>
      {contest.ranking.length === 0 ? (
        <p>{t('nobody')}</p>
      ) : (
        <table className={styles.ranking}>
          <thead>
            <tr>
              <th scope="col">{t('who')}</th>
              <th scope="col">{t('exchanges')}</th>
              <th scope="col">{t('tickets_head')}</th>
            </tr>
          </thead>
          <tbody>
            {contest.ranking.map((row, place) => (
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

/** What was published in advance, so that nobody can choose the winners. */
function Fairness({ contest }: { contest: Contest }) {
  const t = useT('contest');
  return (
    <section className={styles.section} aria-labelledby="fair">
      <h2 id="fair">{t('fair')}</h2>
      <p className={styles.text}>{t('fair_text')}</p>
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
