import type { Schema } from '@agio/client/admin';
import { useCallback } from 'react';
import { useStore } from 'react-admin';
import { useGet, useMayEdit } from '../api/hooks.ts';

type SetupStep = Schema<'SetupStep'>;

/** Where each step is done; the first exchange, on the public site. */
export const PLACES: Record<Exclude<SetupStep, 'first_exchange'>, string> = {
  contacts: '/brand',
  region: '/brand',
  base_currency: '/settings',
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

/**
 * The steps until the first exchange, for those who may do them, and the one that this browser is guided through. The
 * guide begins by itself.
 */
export function useSetup() {
  const mayEdit = useMayEdit('settings');
  const [chosen, setChosen] = useStore<SetupStep | 'unasked' | 'left'>('setup.guided', 'unasked');
  const guided = chosen === 'unasked' || chosen === 'left' ? null : chosen;
  const setGuided = useCallback((step: SetupStep | null) => setChosen(step ?? 'left'), [setChosen]);
  const [hidden, setHidden] = useStore('setup.hidden', false);
  const enabled = mayEdit && (guided !== null || !hidden);
  const { data } = useGet('/setup', { enabled, ...(guided && { refetchInterval: REFRESH_MS }) });
  const steps = data && !data.completed ? data.steps : [];
  const isEmpty = steps.some(({ step, done }) => step === 'currencies' && !done);
  /** Where an owner who comes to an empty exchange is led. */
  const beginning = chosen === 'unasked' && isEmpty ? steps.find(({ done }) => !done)?.step : undefined;
  return { steps, guided, beginning, setGuided, hidden, setHidden };
}
