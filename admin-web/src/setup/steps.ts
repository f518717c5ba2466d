import type { Schema } from '@agio/client/admin';
import { useCanAccess, useStore } from 'react-admin';
import { useGet } from '../api/hooks.ts';

type SetupStep = Schema<'SetupStep'>;

/** Where each step is done; the first exchange, on the public site. */
export const PLACES: Record<Exclude<SetupStep, 'first_exchange'>, string> = {
  contacts: '/brand',
  mail: '/mail',
  currencies: '/currencies?new',
  rates: '/rates',
  pairs: '/pairs',
  reserves: '/reserves',
  payment_details: '/requisites',
  second_factor: '/security',
};

/** How often the steps are read while somebody works on them. */
const REFRESH_MS = 5_000;

/** The steps until the first exchange, for those who may do them, and the one that this browser is guided through. */
export function useSetup() {
  const { canAccess = false } = useCanAccess({ resource: 'settings', action: 'edit' });
  const [guided, setGuided] = useStore<SetupStep | null>('setup.guided', null);
  const [hidden, setHidden] = useStore('setup.hidden', false);
  const enabled = canAccess && (guided !== null || !hidden);
  const { data } = useGet('/setup', { enabled, ...(guided && { refetchInterval: REFRESH_MS }) });
  const steps = data && !data.completed ? data.steps : [];
  return { steps, guided, setGuided, hidden, setHidden };
}
