import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import { Button, IconButton, NumberField, useTexts } from '../ui/index.ts';
import type { PairDraft } from './draft.ts';
import css from './PairDrawer.module.css';
import type { TermsProps } from './Terms.tsx';

/** Better rates from larger amounts. */
export function Tiers({ draft, from: { ticker }, errorOf, onChange }: TermsProps) {
  const { t } = useTexts();
  const { tiers } = draft;
  const replace = (index: number, part: Partial<PairDraft['tiers'][number]>) =>
    onChange({ tiers: tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)) });
  return (
    <>
      <h2 className={css.section}>{t('pairs.tiers')}</h2>
      {tiers.length === 0 && <p className={css.note}>{t('pairs.noTiers')}</p>}
      {tiers.map((tier, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier is known only by its place.
        <div key={index} className={css.tier}>
          <NumberField
            label={t('pairs.tierMin', { ticker })}
            value={tier.min}
            error={errorOf(`tiers.${index}.min`, `tiers.${index}.min`)}
            onValue={(min) => replace(index, { min })}
          />
          <NumberField
            label={t('pairs.tierAdd')}
            value={tier.addPercent}
            error={errorOf(`tiers.${index}.addPercent`, `tiers.${index}.addPercent`)}
            onValue={(addPercent) => replace(index, { addPercent })}
          />
          <IconButton
            aria-label={t('pairs.removeTier', { number: index + 1 })}
            onClick={() => onChange({ tiers: tiers.filter((_, at) => at !== index) })}
          >
            <DeleteOutlined fontSize="small" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange({ tiers: [...tiers, { min: '', addPercent: '' }] })}>
          {t('pairs.addTier')}
        </Button>
      </div>
    </>
  );
}
