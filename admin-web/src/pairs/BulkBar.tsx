import { useState } from 'react';
import { useMayEdit } from '../api/index.ts';
import { Button, useTexts } from '../ui/index.ts';
import { BulkDialog } from './BulkDialog.tsx';
import { BulkRulesDialog } from './BulkRulesDialog.tsx';
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
  const [preset, setPreset] = useState<{ enabled?: boolean; archived?: boolean } | null>(null);
  const maySetRules = useMayEdit('rateRules');
  const [isSettingRules, setSettingRules] = useState(false);
  const chosen = pairs.filter((pair) => ids.has(pair.id));
  const none = chosen.length === 0;
  const archived = chosen.some((pair) => pair.archived);
  return (
    <div className={css.bulk}>
      <p role="status">{t(none ? 'pairs.bulkHint' : 'pairs.chosen', { smart_count: chosen.length })}</p>
      <Button onClick={onAll}>{t('bulk.all')}</Button>
      <Button variant="contained" disabled={none} onClick={() => setPreset({})}>
        {t('bulk.change')}
      </Button>
      {maySetRules && (
        <Button disabled={none} onClick={() => setSettingRules(true)}>
          {t('bulk.rulesChange')}
        </Button>
      )}
      <Button
        disabled={none || archived || chosen.every((pair) => pair.enabled)}
        onClick={() => setPreset({ enabled: true })}
      >
        {t('action.enable')}
      </Button>
      <Button
        color="error"
        disabled={none || chosen.every((pair) => !pair.enabled)}
        onClick={() => setPreset({ enabled: false })}
      >
        {t('pairs.disable')}
      </Button>
      <Button color={archived ? 'primary' : 'error'} disabled={none} onClick={() => setPreset({ archived: !archived })}>
        {t(archived ? 'pairs.unarchive' : 'pairs.archive')}
      </Button>
      {isSettingRules && (
        <BulkRulesDialog
          pairs={chosen}
          currencies={currencies}
          onDone={onDone}
          onClose={() => setSettingRules(false)}
        />
      )}
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
