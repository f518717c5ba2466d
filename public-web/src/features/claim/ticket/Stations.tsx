import type { ClaimState, CurrencyKind } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { stationsOf } from '../model/presentation';
import css from './Stations.module.css';

interface Props {
  state: ClaimState;
  sentKind: CurrencyKind;
  /** It is the customer's turn, whatever the state. */
  isAsked: boolean;
}

/** The five stations of the journey: what is behind, where the claim stands, what is ahead. */
export function Stations({ state, sentKind, isAsked }: Props) {
  const t = useT('claim');
  return (
    <ol className={css.stations} aria-label={t('stations.label')}>
      {stationsOf(state, sentKind, isAsked).map(({ key, mark }) => {
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
