import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { live } from './api.ts';
import type { ChangeEvent } from './live.ts';
import { markStale, type Stale } from './stale.ts';

/** The answers that an event makes stale. */
export function staleBy(change: ChangeEvent): Stale[] {
  switch (change.event) {
    case 'all':
      return ['*'];
    case 'claim':
      return ['/claims', `/claims/${change.id}*`, '/dashboard', '/turnover/today', '/verifications'];
    case 'reserve':
      return ['/reserves', `/reserves/${change.currencyId}*`, '/currencies', '/dashboard'];
    case 'market':
      return ['/pairs', '/currencies', '/rates*', '/dashboard'];
    case 'settings':
      return ['/settings', '/dashboard'];
    case 'approvals':
      // A claim shows its requests, and what is approved changes things of every kind.
      return ['/approvals*', '/claims*', '/requisites', '/pairs', '/settings', '/dashboard'];
    case 'tech':
      return ['/tech', '/dashboard'];
  }
}

/** Keeps the screen fresh: reads again what events name, and everything once a lost connection is back. */
export function useLiveAnswers(): void {
  const client = useQueryClient();
  useEffect(() => {
    let wasDown = false;
    const stopEvents = live.listen((change) => markStale(client, ...staleBy(change)));
    const stopConnection = live.listenToConnection(() => {
      const { state } = live.current();
      if (state === 'up' && wasDown) markStale(client, '*');
      wasDown = state !== 'up';
    });
    window.addEventListener('online', live.retryNow);
    window.addEventListener('offline', live.drop);
    return () => {
      stopEvents();
      stopConnection();
      window.removeEventListener('online', live.retryNow);
      window.removeEventListener('offline', live.drop);
    };
  }, [client]);
}

export const useConnection = () => useSyncExternalStore(live.listenToConnection, live.current);
