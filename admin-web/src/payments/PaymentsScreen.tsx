import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { Attempts } from './Attempts.tsx';
import { Movements } from './Movements.tsx';
import { Routes } from './Routes.tsx';

/** How often the room is read again: blocks and faults are to show up by themselves. */
const FRESH_MS = 10_000;

/** Payments without staff: how currencies are watched and paid, what nobody could settle, and money nobody waits for. */
export default function PaymentsScreen() {
  const { t } = useWords();
  const options = { refetchInterval: FRESH_MS };
  const routes = useQuery({ queryKey: KEYS.payments, queryFn: api.payments, ...options });
  const attempts = useQuery({ queryKey: KEYS.paymentAttempts, queryFn: api.paymentAttempts, ...options });
  const movements = useQuery({ queryKey: KEYS.paymentMovements, queryFn: api.paymentMovements, ...options });
  const all = [routes, attempts, movements];
  const failed = all.find((one) => !one.data && one.error);
  return (
    <Page title={t('payments.title')} line={t('payments.line')}>
      {all.some((one) => one.isPending) && <SkeletonRows height={46} />}
      {failed && <ErrorNote error={failed.error} retry={() => all.forEach((one) => void one.refetch())} />}
      {routes.data && <Routes payments={routes.data} />}
      {movements.data && <Movements rows={movements.data} />}
      {attempts.data && <Attempts rows={attempts.data} />}
    </Page>
  );
}
