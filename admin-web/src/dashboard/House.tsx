import type { Dashboard } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { dayText, momentText } from '../ui/format.ts';
import { TurnMark } from '../ui/Turn.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Dashboard.module.css';

/** How the house stands: whether the books balance, technical mode, the day of the rates. */
export function House({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useWords();
  return (
    <aside className={css.house}>
      <Books ledger={dashboard.ledger} />
      <Approvals approvals={dashboard.approvals} />
      <Referral referral={dashboard.referral} />
      <Mail mail={dashboard.mail} notices={dashboard.notices} />
      <Partners partners={dashboard.partners} />
      <Log audit={dashboard.audit} />
      <Tech tech={dashboard.tech} />
      <RatesDay />
      <section>
        <h2 className={css.houseTitle}>{t('dashboard.turns')}</h2>
        <ul className={css.legend}>
          {(['ours', 'customer', 'network', 'trouble'] as const).map((turn) => (
            <li key={turn}>
              <TurnMark turn={turn} /> {t(`turn.${turn}`)}
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}

function Books({ ledger }: { ledger: Dashboard['ledger'] }) {
  const { t, language } = useWords();
  return (
    <section>
      <h2 className={css.houseTitle}>{t('dashboard.ledger')}</h2>
      <p className={ledger.clean ? css.good : css.bad}>
        {t(ledger.clean ? 'dashboard.ledgerClean' : 'dashboard.ledgerDiff')}
      </p>
      {!ledger.clean && <p>{t('dashboard.ledgerDiffText')}</p>}
      {ledger.differences.map((difference) => (
        <p key={difference} className={css.difference}>
          {difference}
        </p>
      ))}
      <p className={css.note}>
        {ledger.checkedAt
          ? t('dashboard.ledgerCheckedAt', { time: momentText(ledger.checkedAt, language) })
          : t('dashboard.ledgerNever')}
      </p>
    </section>
  );
}

function Approvals({ approvals }: { approvals: Dashboard['approvals'] }) {
  const { t } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'approvals', action: 'read' });
  if (!canAccess || approvals.waiting === 0) return null;
  return (
    <section>
      <h2 className={css.houseTitle}>{t('approvals.title')}</h2>
      <p className={approvals.yours > 0 ? css.alert : undefined}>
        <Link to="/approvals">{t('approvals.line', { smart_count: approvals.waiting })}</Link>
      </p>
    </section>
  );
}

function Referral({ referral }: { referral: Dashboard['referral'] }) {
  const { t } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'referral', action: 'read' });
  const { accruals, withdrawals } = referral;
  if (!canAccess || accruals + withdrawals === 0) return null;
  return (
    <section>
      <h2 className={css.houseTitle}>{t('referral.title')}</h2>
      {accruals > 0 && (
        <p className={css.alert}>
          <Link to="/referral?tab=accruals">{t('dashboard.accruals', { smart_count: accruals })}</Link>
        </p>
      )}
      {withdrawals > 0 && (
        <p className={css.alert}>
          <Link to="/referral?tab=withdrawals">{t('dashboard.withdrawals', { smart_count: withdrawals })}</Link>
        </p>
      )}
    </section>
  );
}

function Mail({ mail, notices }: { mail: Dashboard['mail']; notices: Dashboard['notices'] }) {
  const { t } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'mail', action: 'read' });
  if (!canAccess) return null;
  const calm = mail.queued > 0 ? t('dashboard.mailQueued', { smart_count: mail.queued }) : t('dashboard.mailGone');
  return (
    <section>
      <h2 className={css.houseTitle}>{t('rooms.mail')}</h2>
      <p className={mail.dead > 0 ? css.bad : undefined}>
        <Link to="/mail">{mail.dead > 0 ? t('dashboard.mailDead', { smart_count: mail.dead }) : calm}</Link>
      </p>
      {notices.dead > 0 && (
        <p className={css.bad}>
          <Link to="/mail">{t('dashboard.noticesDead', { smart_count: notices.dead })}</Link>
        </p>
      )}
    </section>
  );
}

function Partners({ partners }: { partners: Dashboard['partners'] }) {
  const { t } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'partners', action: 'read' });
  if (!canAccess || partners.requested + partners.dead === 0) return null;
  return (
    <section>
      <h2 className={css.houseTitle}>{t('rooms.partners')}</h2>
      {partners.requested > 0 && (
        <p className={css.alert}>
          <Link to="/partners">{t('dashboard.partnersAsk', { smart_count: partners.requested })}</Link>
        </p>
      )}
      {partners.dead > 0 && (
        <p className={css.bad}>
          <Link to="/partners">{t('dashboard.newsDead', { smart_count: partners.dead })}</Link>
        </p>
      )}
    </section>
  );
}

function Log({ audit }: { audit: Dashboard['audit'] }) {
  const { t, language } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'audit', action: 'read' });
  if (!canAccess) return null;
  return (
    <section>
      <h2 className={css.houseTitle}>{t('rooms.audit')}</h2>
      <p className={audit.clean ? undefined : css.bad}>
        <Link to="/audit">{t(audit.clean ? 'dashboard.auditClean' : 'dashboard.auditBroken')}</Link>
      </p>
      {audit.checkedAt && (
        <p className={css.note}>{t('dashboard.auditCheckedAt', { time: momentText(audit.checkedAt, language) })}</p>
      )}
    </section>
  );
}

function Tech({ tech }: { tech: Dashboard['tech'] }) {
  const { t, language } = useWords();
  return (
    <section>
      <h2 className={css.houseTitle}>{t('dashboard.tech')}</h2>
      <p className={tech.on ? css.alert : undefined}>
        <Link to="/tech">{t(tech.on ? 'dashboard.techOn' : 'dashboard.techOff')}</Link>
      </p>
      {tech.on && tech.time && (
        <p className={css.note}>{t('dashboard.techUntil', { time: momentText(tech.time, language) })}</p>
      )}
    </section>
  );
}

function RatesDay() {
  const { t, language } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'rates', action: 'read' });
  const { data } = useQuery({ queryKey: KEYS.rates, queryFn: api.rates, enabled: canAccess });
  if (!data) return null;
  return (
    <section>
      <h2 className={css.houseTitle}>{t('dashboard.rates')}</h2>
      <p>
        <Link to="/rates">
          {data.day ? t('dashboard.ratesOf', { day: dayText(data.day, language) }) : t('dashboard.ratesLive')}
        </Link>
      </p>
    </section>
  );
}
