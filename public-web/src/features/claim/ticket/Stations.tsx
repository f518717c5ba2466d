import { useT } from '../../../i18n/texts';
import type { ShownState } from '../../../openClaims/progress';
import { stationsOf } from '../model/presentation';
import css from './Stations.module.css';

interface Props {
  state: ShownState;
  giveKind: string;
  /** The customer's turn, whatever the state. */
  needsAnswer: boolean;
}

export function Stations({ state, giveKind, needsAnswer }: Props) {
  const t = useT('claim');
  return (
    <ol className={css.stations} aria-label={t('stations.label')}>
      {stationsOf(state, giveKind, needsAnswer).map(({ key, mark }) => {
        const isCurrent = mark !== 'done' && mark !== 'ahead';
        return (
          <li key={key} className={css[mark]} aria-current={isCurrent ? 'step' : undefined}>
            <span className={css.name}>
              {t(`stations.${key}`)}
              <span className={css.spoken}>, {t(`stations.mark.${mark}`)}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
