import type { Schema } from '@agio/client/admin';
import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import { useState } from 'react';
import { api, fieldsOf, useAction, useGet, useMayEdit } from '../api/index.ts';
import { typedDecimal } from '../ui/decimal.ts';
import { AuditLink, Button, IconButton, Loaded, NumberField, Refusal, useTexts } from '../ui/index.ts';
import own from './Discounts.module.css';

/** The table of tiers, changed as a whole. */
export function TierTable() {
  const answer = useGet('/discounts');
  return (
    <Loaded answer={answer} bones={{ rows: 5 }}>
      {/* Another revision is another table: what was typed over the old one goes. */}
      {(table) => <Editor key={table.revision} table={table} />}
    </Loaded>
  );
}

type Draft = { min: string; percent: string };

function Editor({ table }: { table: Schema<'DiscountSettings'> }) {
  const { t, percentText } = useTexts();
  const mayEdit = useMayEdit('discounts');
  const [tiers, setTiers] = useState<Draft[]>(table.tiers);
  const typed = tiers.map(({ min, percent }) => ({ min: typedDecimal(min), percent: typedDecimal(percent) }));
  const isWhole = typed.every(({ min, percent }) => min !== null && percent !== null);
  const isOther = table.ticker !== null && table.ticker !== table.base;
  const isChanged = JSON.stringify(tiers) !== JSON.stringify(table.tiers);
  const isReady = (isChanged || isOther) && isWhole;
  const save = useAction({
    run: () =>
      api.PUT('/discounts/tiers', {
        body: {
          revision: table.revision,
          tiers: typed.map(({ min, percent }) => ({ min: min ?? '', percent: percent ?? '' })),
        },
      }),
    done: t('discounts.saved'),
    stale: ['/discounts'],
  });
  const errors = fieldsOf(save.error);
  const replace = (index: number, part: Partial<Draft>) =>
    setTiers(tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)));
  return (
    <form
      className={own.editor}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !save.isPending) save.mutate();
      }}
    >
      <p className={own.text}>{t('discounts.tiersText', { base: table.base, most: percentText(table.most) })}</p>
      {isOther && (
        <p className={own.warning} role="status">
          {t('discounts.otherTicker', { ticker: table.ticker ?? '', base: table.base })}
        </p>
      )}
      {table.waiting > 0 && <p className={own.text}>{t('discounts.waiting', { count: table.waiting })}</p>}
      {tiers.length === 0 && <p className={own.text}>{t('discounts.noTiers')}</p>}
      {tiers.map((tier, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no name of its own but its place.
        <div key={index} className={own.tier}>
          <NumberField
            label={t('discounts.from', { base: table.base })}
            value={tier.min}
            disabled={!mayEdit}
            error={errors[`tiers.${index}.min`] ?? errors[`tiers.${index}`]}
            onValue={(min) => replace(index, { min })}
          />
          <NumberField
            label={t('fields.percent')}
            value={tier.percent}
            disabled={!mayEdit}
            error={errors[`tiers.${index}.percent`]}
            onValue={(percent) => replace(index, { percent })}
          />
          {mayEdit && (
            <IconButton
              aria-label={t('action.removeTier', { number: index + 1 })}
              onClick={() => setTiers(tiers.filter((_, at) => at !== index))}
            >
              <DeleteOutlined fontSize="small" />
            </IconButton>
          )}
        </div>
      ))}
      <Refusal error={save.error} />
      {mayEdit && (
        <div className={own.buttons}>
          <Button onClick={() => setTiers([...tiers, { min: '', percent: '' }])}>{t('action.addTier')}</Button>
          <Button type="submit" variant="contained" disabled={!isReady || save.isPending}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
          {isChanged && <Button onClick={() => setTiers(table.tiers)}>{t('action.undo')}</Button>}
        </div>
      )}
      <AuditLink kind="discounts" id="tiers" />
    </form>
  );
}
