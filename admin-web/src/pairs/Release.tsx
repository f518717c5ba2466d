import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** Lets a stopped pair go on: pressed twice, because the rate is taken as it is. */
export function Release({ pairId, name }: { pairId: number; name: string }) {
  const { t } = useWords();
  const saved = useSaved();
  const [sure, setSure] = useState(false);
  const { canAccess = false } = useCanAccess({ resource: 'rateStops', action: 'edit' });
  const release = useMutation({
    mutationFn: () => api.releaseRatePair(pairId),
    onSuccess: () => saved(t('live.released', { name }), KEYS.rateStops, KEYS.ratePair(pairId), ['pairs']),
  });
  if (!canAccess) return null;
  return (
    <>
      <Button
        size="small"
        disabled={release.isPending}
        aria-label={`${t(sure ? 'live.releaseSure' : 'live.release')}: ${name}`}
        onClick={() => (sure ? release.mutate() : setSure(true))}
      >
        {t(sure ? 'live.releaseSure' : 'live.release')}
      </Button>
      <Refusal error={release.error} />
    </>
  );
}
