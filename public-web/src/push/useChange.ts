import { ApiError, NetworkError } from '@agio/client/problem';
import { useState } from 'react';
import { errorText } from '../api/errors';
import { useT } from '../i18n/texts';

/** Runs one change at a time and keeps the text of its failure; `failed` is that of a failure not of the server's. */
export function useChange(failed?: string) {
  const t = useT('common');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      const isOurs = error instanceof ApiError || error instanceof NetworkError;
      setFailure(isOurs || failed === undefined ? errorText(error, t) : failed);
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, change: (work: () => Promise<void>) => void run(work) };
}
