import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'react-admin';

/** After a change: reads again what it touched and says in a line that it is done. */
export function useSaved() {
  const client = useQueryClient();
  const notify = useNotify();
  return (message: string, ...keys: (readonly unknown[])[]) => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    notify(message, { type: 'info' });
  };
}
