import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTexts } from '../ui/useTexts.ts';
import { BulkDialog } from './BulkDialog.tsx';
import type { Currency, Pair } from './matrix.ts';
import css from './Pairs.module.css';

type Props = {
  pairs: Pair[];
  currencies: Currency[];
  ids: ReadonlySet<number>;
  onAll: () => void;
  onDone: () => void;
};

/** One change for all chosen directions at once. */
export function BulkBar({ pairs, currencies, ids, onAll, onDone }: Props) {
  const { t } = useTexts();
  const [preset, setPreset] = useState<{ enabled?: boolean } | null>(null);
  const chosen = pairs.filter((pair) => ids.has(pair.id));
  const none = chosen.length === 0;
  return (
    <div className={css.bulk}>
      <p role="status">{t(none ? 'pairs.bulkHint' : 'pairs.chosen', { smart_count: chosen.length })}</p>
      <Button onClick={onAll}>{t('bulk.all')}</Button>
      <Button variant="contained" disabled={none} onClick={() => setPreset({})}>
        {t('bulk.change')}
      </Button>
      <Button disabled={none || chosen.every((pair) => pair.enabled)} onClick={() => setPreset({ enabled: true })}>
        {t('pairs.enable')}
      </Button>
      <Button
        color="error"
        disabled={none || chosen.every((pair) => !pair.enabled)}
        onClick={() => setPreset({ enabled: false })}
      >
        {t('pairs.disable')}
      </Button>
      {preset && (
        <BulkDialog
          pairs={chosen}
          currencies={currencies}
          preset={preset}
          onDone={onDone}
          onClose={() => setPreset(null)}
        />
      )}
    </div>
  );
}
