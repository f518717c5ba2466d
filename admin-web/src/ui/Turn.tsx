import type { ClaimRow } from '@agio/client/admin';
import css from './Turn.module.css';
import { useWords } from './useWords.ts';

const STEPS = [1, 2, 3, 4, 5];

/** Whose move it is, told by shape as well as by colour: filled we, outlined the customer, striped the network. */
export const TurnMark = ({ turn }: { turn: ClaimRow['turn'] }) => (
  <span className={`${css.mark} ${css[turn]}`} aria-hidden="true" />
);

/** How far a claim is in five notches; the tall one says who must move. */
export function Track({ step, turn, wide }: { step: number; turn: ClaimRow['turn']; wide?: boolean }) {
  const { t } = useWords();
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
