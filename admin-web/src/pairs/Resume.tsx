import { api, useMayEdit } from '../api/index.ts';
import { ActionButton, useTexts } from '../ui/index.ts';

/** Resumes a suspended pair: pressed twice, because the rate is accepted as it is. */
export function Resume({ pairId, name }: { pairId: number; name: string }) {
  const { t } = useTexts();
  if (!useMayEdit('rateStops')) return null;
  return (
    <ActionButton
      size="small"
      label={t('live.release')}
      sure={t('live.releaseSure')}
      name={name}
      run={() => api.POST('/rates/pairs/{id}/resume', { params: { path: { id: pairId } } })}
      done={t('live.released', { name })}
      stale={['/rates*', '/pairs']}
    />
  );
}
