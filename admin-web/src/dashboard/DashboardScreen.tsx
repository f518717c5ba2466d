import type { Dashboard } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { Link } from 'react-router';
import { useDashboard } from '../api/queries.ts';
import { useClaims } from '../claims/useClaims.ts';
import { useNow } from '../ui/clock.ts';
import { Page, useTitle } from '../ui/Page.tsx';
import { Ruler } from '../ui/Ruler.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Dashboard.module.css';
import { House } from './House.tsx';
import { UrgentSection } from './UrgentSection.tsx';
import { byUrgency } from './urgent.ts';

/** One list of what needs somebody, the most urgent first, and how the house stands. */
export function DashboardScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useDashboard();
  useTitle(t('dashboard.title'));
  return (
    <Page
      title={data ? <Headline dashboard={data} /> : t('dashboard.title')}
      line={data && t('dashboard.open', { smart_count: data.claims.open })}
      actions={
        <Button component={Link} to="/claims?group=ours" variant="contained" size="large">
          {t('dashboard.toDesk')}
        </Button>
      }
    >
      {isPending && <SkeletonRows rows={12} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Overview dashboard={data} />}
    </Page>
  );
}

function Headline({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useWords();
  const { ours, late } = dashboard.claims;
  if (ours === 0 && late === 0) return <>{t('dashboard.calm')}</>;
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

function Overview({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useWords();
  const now = useNow();
  const { rows } = useClaims('open', '');
  const sections = byUrgency(dashboard.items, now);
  return (
    <>
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
        <House dashboard={dashboard} />
      </div>
    </>
  );
}
