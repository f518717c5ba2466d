import type { Schema } from '@agio/client/admin';
import css from './Turn.module.css';
import { useTexts } from './useTexts.ts';

const STEPS = [1, 2, 3, 4, 5];

/** Whose turn it is, by shape as well as by colour: filled for us, outlined the customer, striped the network. */
export const TurnMark = ({ turn }: { turn: Schema<'ClaimSummary'>['turn'] }) => (
  <span className={`${css.mark} ${css[turn]}`} aria-hidden="true" />
);

/** The progress of a claim in five notches; the tall one shows whose turn it is. */
export function Track({ step, turn, wide }: { step: number; turn: Schema<'ClaimSummary'>['turn']; wide?: boolean }) {
  const { t } = useTexts();
  return (
    <span className={wide ? css.wide : css.track} title={t(`turn.${turn}`)}>
      {STEPS.map((notch) => (
        <span
          key={notch}
          className={
            notch === step && turn !== 'done' ? `${css.now} ${css[turn]}` : notch <= step ? css.past : css.ahead
          }
        />
      ))}
      <span className="visually-hidden">{t('turn.step', { step, turn: t(`turn.${turn}`) })}</span>
    </span>
  );
}
