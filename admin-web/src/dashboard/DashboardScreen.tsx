import type { Schema } from '@agio/client/admin';
import { Link } from 'react-router';
import { useGet, useList } from '../api/index.ts';
import { SetupChecklist } from '../setup/SetupChecklist.tsx';
import { useNow } from '../ui/clock.ts';
import { Button, EmptyNote, Loaded, Page, Ruler, useTexts, useTitle } from '../ui/index.ts';
import css from './Dashboard.module.css';
import { SystemStatus } from './SystemStatus.tsx';
import { Today } from './Today.tsx';
import { UrgentSection } from './UrgentSection.tsx';
import { byUrgency } from './urgent.ts';
import { useRatesState } from './useRatesState.ts';

const RULER_CLAIMS = 50;

/** What needs attention, the most urgent first, and the state of the system. */
export function DashboardScreen() {
  const { t } = useTexts();
  const dashboard = useGet('/dashboard');
  const { data } = dashboard;
  useTitle(t('screens.dashboard'));
  return (
    <Page
      title={data ? <Headline dashboard={data} /> : t('screens.dashboard')}
      line={data && t('dashboard.open', { smart_count: data.claims.open })}
      actions={
        <Button component={Link} to="/claims?group=ours" variant="contained" size="large">
          {t('dashboard.toQueue')}
        </Button>
      }
    >
      <Loaded answer={dashboard}>{(shown) => <Overview dashboard={shown} />}</Loaded>
    </Page>
  );
}

function Headline({ dashboard }: { dashboard: Schema<'Dashboard'> }) {
  const { t } = useTexts();
  const { ours, late } = dashboard.claims;
  const rates = useRatesState()?.state;
  if (ours === 0 && late === 0) {
    return <>{t(rates === 'silent' ? 'dashboard.silentRates' : 'dashboard.calm')}</>;
  }
  return (
    <>
      {t('dashboard.ours', { smart_count: ours })}
      {late > 0 && (
        <>
          , <span className={css.late}>{t('dashboard.late', { smart_count: late })}</span>
        </>
      )}
    </>
  );
}

function Overview({ dashboard }: { dashboard: Schema<'Dashboard'> }) {
  const { t } = useTexts();
  const now = useNow();
  const { rows } = useList('/claims', { query: { group: 'open', size: RULER_CLAIMS } });
  const sections = byUrgency(dashboard.items, now);
  return (
    <>
      <SetupChecklist />
      <Today />
      <Ruler
        marks={rows.map((row) => ({
          id: row.id,
          name: `№\u00a0${row.publicId}`,
          dueAt: Date.parse(row.dueAt),
          turn: row.turn,
        }))}
        to={(id) => `/claims/${id}`}
      />
      <div className={css.columns}>
        <section className={css.urgent} aria-label={t('dashboard.urgent')}>
          {sections.length === 0 && <EmptyNote title={t('dashboard.empty')} text={t('dashboard.emptyText')} />}
          {sections.map((section) => (
            <UrgentSection key={section.name} section={section} />
          ))}
        </section>
        <SystemStatus dashboard={dashboard} />
      </div>
    </>
  );
}
