import type { Schema } from '@agio/client/admin';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useId, useState } from 'react';
import { api } from '../api/api.ts';
import { useAction } from '../api/hooks.ts';
import { typedDecimal } from '../ui/decimal.ts';
import { Refusal } from '../ui/States.tsx';
import { useTexts } from '../ui/useTexts.ts';
import type { Pair } from './matrix.ts';
import css from './Pairs.module.css';

/** One change for all chosen directions at once. */
export function BulkBar({ pairs, ids, onDone }: { pairs: Pair[]; ids: number[]; onDone: () => void }) {
  const { t } = useTexts();
  const id = useId();
  const [spread, setSpread] = useState('');
  const change = useAction({
    run: (set: Schema<'UpdatePairsRequest'>['set']) => api.POST('/pairs/bulk', { body: { ids, set } }),
    done: t('pairs.bulkSaved', { smart_count: ids.length }),
    stale: ['/pairs', '/dashboard'],
    onDone,
  });
  const chosen = pairs.filter((pair) => ids.includes(pair.id));
  const percent = typedDecimal(spread);
  const idle = ids.length === 0 || change.isPending;
  return (
    <div className={css.bulk}>
      <p role="status">{t(ids.length === 0 ? 'pairs.bulkHint' : 'pairs.chosen', { smart_count: ids.length })}</p>
      <label htmlFor={id}>{t('pairs.spread')}</label>
      <OutlinedInput
        id={id}
        value={spread}
        className={css.bulkInput}
        inputProps={{ inputMode: 'decimal' }}
        onChange={(event) => setSpread(event.target.value)}
      />
      <Button
        variant="contained"
        disabled={idle || percent === null}
        onClick={() => percent !== null && change.mutate({ spreadPercent: percent })}
      >
        {t('pairs.setSpread')}
      </Button>
      <Button disabled={idle || chosen.every((pair) => pair.enabled)} onClick={() => change.mutate({ enabled: true })}>
        {t('pairs.enable')}
      </Button>
      <Button
        color="error"
        disabled={idle || chosen.every((pair) => !pair.enabled)}
        onClick={() => change.mutate({ enabled: false })}
      >
        {t('pairs.disable')}
      </Button>
      <Refusal error={change.error} />
    </div>
  );
}
