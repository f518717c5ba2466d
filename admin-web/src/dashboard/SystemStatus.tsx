import type { Schema } from '@agio/client/admin';
import type { ReactNode } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { usePauseReasons } from '../api/index.ts';
import { TurnMark, useTexts } from '../ui/index.ts';
import css from './Dashboard.module.css';
import { type RatesState, useRatesState } from './useRatesState.ts';

const TURNS = ['ours', 'customer', 'network', 'trouble'] as const;

/** The state of the system: ledger, approvals, email, technical mode, rates. */
export function SystemStatus({ dashboard }: { dashboard: Schema<'Dashboard'> }) {
  const { t, dateTimeText } = useTexts();
  // What was read before the database went away proves nothing now.
  const isKnown = !usePauseReasons().includes('database');
  const { ledger, approvals, referral, mail, notices, partners, audit, tech } = dashboard;
  return (
    <aside className={css.system}>
      <Block title={t('dashboard.ledger')}>
        <p className={ledger.clean ? (isKnown ? css.good : undefined) : css.bad}>
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
            ? t('dashboard.ledgerCheckedAt', { time: dateTimeText(ledger.checkedAt) })
            : t('dashboard.ledgerNever')}
        </p>
      </Block>
      <Block title={t('screens.approvals')} resource="approvals" hidden={approvals.waiting === 0}>
        <Line
          to="/approvals"
          look={approvals.yours > 0 ? css.alert : undefined}
          text={t('approvals.line', { smart_count: approvals.waiting })}
        />
      </Block>
      <Block
        title={t('screens.referral')}
        resource="referral"
        hidden={referral.commissions + referral.withdrawals === 0}
      >
        {referral.commissions > 0 && (
          <Line
            to="/referral?tab=commissions"
            look={css.alert}
            text={t('dashboard.commissions', { smart_count: referral.commissions })}
          />
        )}
        {referral.withdrawals > 0 && (
          <Line
            to="/referral?tab=withdrawals"
            look={css.alert}
            text={t('dashboard.withdrawals', { smart_count: referral.withdrawals })}
          />
        )}
      </Block>
      <Block title={t('screens.mail')} resource="mail">
        {mail.local ? (
          <Line to="/mail" look={css.alert} text={t('dashboard.mailLocal')} />
        ) : mail.dead > 0 ? (
          <Line to="/mail" look={css.bad} text={t('dashboard.mailDead', { smart_count: mail.dead })} />
        ) : (
          <Line
            to="/mail"
            text={mail.queued > 0 ? t('dashboard.mailQueued', { smart_count: mail.queued }) : t('dashboard.mailGone')}
          />
        )}
        {notices.dead > 0 && (
          <Line to="/mail" look={css.bad} text={t('dashboard.noticesDead', { smart_count: notices.dead })} />
        )}
      </Block>
      <Block title={t('screens.partners')} resource="partners" hidden={partners.requested + partners.dead === 0}>
        {partners.requested > 0 && (
          <Line
            to="/partners"
            look={css.alert}
            text={t('dashboard.partnersAsk', { smart_count: partners.requested })}
          />
        )}
        {partners.dead > 0 && (
          <Line to="/partners" look={css.bad} text={t('dashboard.newsDead', { smart_count: partners.dead })} />
        )}
      </Block>
      <Block title={t('screens.audit')} resource="audit">
        <Line
          to="/audit"
          look={audit.clean ? undefined : css.bad}
          text={t(audit.clean ? 'dashboard.auditClean' : 'dashboard.auditBroken')}
        />
        {audit.checkedAt && (
          <p className={css.note}>{t('dashboard.auditCheckedAt', { time: dateTimeText(audit.checkedAt) })}</p>
        )}
      </Block>
      <Block title={t('dashboard.tech')}>
        <Line
          to="/tech"
          look={tech.on ? css.alert : undefined}
          text={t(tech.on ? 'dashboard.techOn' : 'dashboard.techOff')}
        />
        {tech.on && tech.time && (
          <p className={css.note}>{t('dashboard.techUntil', { time: dateTimeText(tech.time) })}</p>
        )}
      </Block>
      <RatesDay />
      <Block title={t('dashboard.turns')}>
        <ul className={css.legend}>
          {TURNS.map((turn) => (
            <li key={turn}>
              <TurnMark turn={turn} /> {t(`turn.${turn}`)}
            </li>
          ))}
        </ul>
      </Block>
    </aside>
  );
}

type BlockProps = {
  title: string;
  /** Shown to staff who may read it. */
  resource?: string;
  hidden?: boolean;
  children: ReactNode;
};

function Block({ title, resource, hidden, children }: BlockProps) {
  const { canAccess = false } = useCanAccess({ resource: resource ?? 'dashboard', action: 'read' });
  if (hidden || (resource && !canAccess)) return null;
  return (
    <section>
      <h2 className={css.systemTitle}>{title}</h2>
      {children}
    </section>
  );
}

const Line = ({ to, look, text }: { to: string; look?: string; text: string }) => (
  <p className={look}>
    <Link to={to}>{text}</Link>
  </p>
);

const RATES_LOOK: Record<RatesState, string | undefined> = {
  fixed: undefined,
  live: undefined,
  partly: css.alert,
  silent: css.bad,
  none: undefined,
};

function RatesDay() {
  const { t, longDayText } = useTexts();
  const rates = useRatesState();
  if (!rates) return null;
  return (
    <Block title={t('dashboard.rates')}>
      <Line
        to="/rates"
        look={RATES_LOOK[rates.state]}
        text={t(`dashboard.ratesState.${rates.state}`, { day: rates.day ? longDayText(rates.day) : '' })}
      />
    </Block>
  );
}
