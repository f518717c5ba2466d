import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { live } from './api.ts';
import type { LiveNotice } from './live.ts';
import { KEYS } from './queries.ts';

type Key = readonly unknown[];
/** Notices come in bursts; the answers are read again once for all of a burst. */
const GATHER_MS = 250;

/** What a notice makes stale. */
export function staleBy(notice: LiveNotice): Key[] {
  switch (notice.event) {
    case 'all':
      return [[]];
    case 'claim':
      return [KEYS.claims, KEYS.claim(notice.id), KEYS.dashboard, KEYS.verifications];
    case 'reserve':
      return [['reserves'], ['currencies'], KEYS.movements(notice.currencyId), KEYS.dashboard];
    case 'market':
      return [['pairs'], ['currencies'], KEYS.rates, KEYS.dashboard];
    case 'settings':
      return [KEYS.settings, KEYS.dashboard];
    case 'approvals':
      // A claim shows what is proposed about it, and what was agreed on changes things of every kind.
      return [KEYS.approvals, ['claim'], KEYS.claims, ['requisites'], ['pairs'], KEYS.settings, KEYS.dashboard];
    case 'tech':
      return [KEYS.tech, KEYS.dashboard];
  }
}

/** Keeps what is on the screen fresh: reads again what notices name, and everything once a lost line is back. */
export function useLiveAnswers(): void {
  const client = useQueryClient();
  useEffect(() => {
    let stale: Key[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    let wasDown = false;
    const readAgain = () => {
      const keys = stale;
      stale = [];
      timer = null;
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    };
    const stopNotices = live.listen((notice) => {
      stale.push(...staleBy(notice));
      timer ??= setTimeout(readAgain, GATHER_MS);
    });
    const stopLine = live.watchLine(() => {
      const { state } = live.current();
      if (state === 'up' && wasDown) void client.invalidateQueries();
      wasDown = state !== 'up';
    });
    window.addEventListener('online', live.retryNow);
    return () => {
      stopNotices();
      stopLine();
      window.removeEventListener('online', live.retryNow);
      if (timer) clearTimeout(timer);
    };
  }, [client]);
}

export const useLine = () => useSyncExternalStore(live.watchLine, live.current);
