import type { Schema } from '@agio/client/admin';
import type { ReactNode } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { useGet } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { ageText } from '../ui/format.ts';
import { Sum, useTexts } from '../ui/index.ts';
import css from './Dashboard.module.css';

/** What was done today by the clock of the exchange, and what waits. */
export function Today() {
  const { canAccess = false } = useCanAccess({ resource: 'claims', action: 'read' });
  return canAccess ? <Totals /> : null;
}

function Totals() {
  const { t, language } = useTexts();
  const now = useNow();
  const { data } = useGet('/turnover/today');
  if (!data) return null;
  const waited = data.waitingSince && ageText(now - Date.parse(data.waitingSince), language);
  return (
    <section className={css.today} aria-labelledby="today">
      <h2 id="today" className={css.todayTitle}>
        <Link to={`/turnover?from=${data.day}&to=${data.day}`}>{t('dashboard.today.title')}</Link>
        <span className={css.note}>{t('dashboard.today.zone', { zone: data.timeZone })}</span>
      </h2>
      <dl className={css.totals}>
        {(['created', 'exchanged', 'completed'] as const).map((name) => (
          <Total key={name} name={t(`dashboard.today.${name}`)}>
            {data[name]}
          </Total>
        ))}
        {(['given', 'income'] as const).map((name) => (
          <Total key={name} name={t(`dashboard.today.${name}`)}>
            <Value value={data[name]} isKnown={data.exchanged === 0} />
          </Total>
        ))}
        <Total name={t('dashboard.today.waiting')}>
          {data.waiting}
          {waited && <span className={css.note}> {t('dashboard.today.since', { time: waited })}</span>}
        </Total>
      </dl>
    </section>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className={css.note}>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Value({ value, isKnown }: { value: Schema<'BaseAmount'> | null; isKnown: boolean }) {
  const { t } = useTexts();
  if (value) return <Sum value={value.amount} code={value.ticker} />;
  return <>{isKnown ? '\u2014' : t('dashboard.today.unknown')}</>;
}
