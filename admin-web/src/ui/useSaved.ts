import type { Outcome } from '@agio/client/admin';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'react-admin';
import { KEYS } from '../api/queries.ts';
import { useWords } from './useWords.ts';

/** After a change: reads again what it touched and says in a line that it is done. */
export function useSaved() {
  const client = useQueryClient();
  const notify = useNotify();
  return (message: string, ...keys: (readonly unknown[])[]) => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    notify(message, { type: 'info' });
  };
}

/** The same after a call that may need a second person: what was only proposed is said to wait. */
export function useOutcome() {
  const saved = useSaved();
  const { t } = useWords();
  return ({ proposed }: Outcome<unknown>, message: string, ...keys: (readonly unknown[])[]) =>
    proposed ? saved(t('approvals.sent'), KEYS.approvals, KEYS.dashboard) : saved(message, ...keys);
}
