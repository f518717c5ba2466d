import { dateText, NBSP, timeText } from '@agio/client/format';
import { useCallback } from 'react';
import { serverNow } from '../../../api/serverClock';
import type { ClaimSide } from '../../../api/types';
import { moneyText, rateText } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { isAnotherDay } from './deadline';

type Requisite = ClaimSide['requisites'][number];

/** "22 ноября", "22 November". */
export function useDay(): (moment: string) => string {
  const locale = useLocale();
  return useCallback(
    (moment) => dateText(moment, locale, { day: 'numeric', month: 'long' }).replace(' ', NBSP),
    [locale],
  );
}

/** "14:35", or "23 ноября, 14:35" when that is another day. */
export function useMoment(): (moment: string) => string {
  const day = useDay();
  return (moment) => (isAnotherDay(moment, serverNow()) ? `${day(moment)}, ${timeText(moment)}` : timeText(moment));
}

/** "4 мин", "2 ч", "3 дн.": a length of time at a glance, rounded up. */
export function useLength(): (seconds: number) => string {
  const locale = useLocale();
  return useCallback(
    (seconds) => {
      const minutes = Math.max(1, Math.ceil(seconds / 60));
      const [value, unit] =
        minutes < 120
          ? [minutes, 'minute']
          : minutes < 48 * 60
            ? [Math.ceil(minutes / 60), 'hour']
            : [Math.ceil(minutes / (24 * 60)), 'day'];
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
        .format(value)
        .replace(' ', NBSP);
    },
    [locale],
  );
}

export function useAmount(): (amount: string, side: Pick<ClaimSide, 'ticker'>) => string {
  const locale = useLocale();
  return useCallback((amount, side) => moneyText(amount, side.ticker, locale), [locale]);
}

/** The rate as usually quoted: "1 BTC = 6 012 345 ₽", whichever side is given. */
export function useRate(): (terms: {
  from: Pick<ClaimSide, 'ticker'>;
  to: Pick<ClaimSide, 'ticker'>;
  course: string;
}) => string {
  const locale = useLocale();
  return useCallback(({ from, to, course }) => rateText(course, from.ticker, to.ticker, locale), [locale]);
}

export function placeOf(side: ClaimSide): string {
  const hasNetwork = side.kind === 'crypto' && side.network !== '' && !side.name.includes(side.network);
  return hasNetwork ? `${side.name}, ${side.network}` : side.name;
}

/** A requisite for reading: a card in groups of four, anything else unchanged. */
export function readable({ kind, value }: Pick<Requisite, 'kind' | 'value'>): string {
  return kind === 'card' && /^\d{13,19}$/.test(value) ? value.replace(/(\d{4})(?=\d)/g, '$1 ') : value;
}

/** The destination in short: "Сбербанк, •••• 4276". */
export function whereTo(side: ClaimSide): string {
  const main = side.requisites[0];
  const place = placeOf(side);
  return main === undefined ? place : `${place}, ${brief(main)}`;
}

/** A card by its last four digits, an address by its ends, anything else unchanged. */
export function brief({ kind, value }: Requisite): string {
  if (kind === 'card') return `••••\u00a0${value.replaceAll(/\s/g, '').slice(-4)}`;
  return value.length > 20 && !value.includes(' ') ? `${value.slice(0, 6)}\u2060…\u2060${value.slice(-6)}` : value;
}

/** "150 КБ", "1,2 МБ". */
export function useFileSize(): (bytes: number) => string {
  const locale = useLocale();
  return useCallback(
    (bytes) => {
      const isLarge = bytes >= 1_000_000;
      const unit = isLarge ? 'megabyte' : 'kilobyte';
      const value = isLarge ? bytes / 1_000_000 : Math.max(1, bytes / 1_000);
      const format = new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: isLarge ? 1 : 0 });
      return format.format(value);
    },
    [locale],
  );
}
