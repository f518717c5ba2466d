import type { ClaimForm, ClaimStatus } from '../../../api/types';
import { Rosette } from '../../../components/Guilloche';
import { useT } from '../../../i18n/texts';
import css from './Coins.module.css';

/** More coins do not fit a phone: then one coin stands for all. */
const MOST_COINS = 3;

interface Props {
  form: ClaimForm;
  status: ClaimStatus;
}

/** Confirmations as coins: solid ones have happened, dashed ones are pending. */
export function Coins({ form, status }: Props) {
  const t = useT('claim');
  const { confirmations, confirmationsRequired } = status;
  if (confirmations === null || confirmationsRequired === null) {
    return (
      <div className={css.coins}>
        <Coin form={form} printed={false} text="…" />
        <p className={css.unknown}>{t('confirmations.unknown')}</p>
      </div>
    );
  }
  const done = Math.min(confirmations, confirmationsRequired);
  const label = t('confirmations.label', { done, needed: confirmationsRequired });
  const isCounted = confirmationsRequired > MOST_COINS;
  const numbers = Array.from({ length: confirmationsRequired }, (_, index) => index + 1);
  return (
    <div className={css.coins} role="img" aria-label={label}>
      {isCounted ? (
        <Coin
          form={form}
          printed={done > 0}
          text={t('confirmations.count', { done, needed: confirmationsRequired })}
          small
        />
      ) : (
        numbers.map((number) => <Coin key={number} form={form} printed={number <= done} text={String(number)} />)
      )}
    </div>
  );
}

function Coin({
  form,
  printed,
  text,
  small = false,
}: {
  form: ClaimForm;
  printed: boolean;
  text: string;
  small?: boolean;
}) {
  return (
    <span className={css.coin} data-printed={printed} data-small={small}>
      {printed && <Rosette from={form.from} to={form.to} small className={css.print} />}
      <b>{text}</b>
    </span>
  );
}
