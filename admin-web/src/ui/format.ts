import { amountText, dateText, NBSP, timeText } from '@agio/client/format';
import type { Language } from '../i18n/language.ts';

export { amountText, clockText, percentText, timeText } from '@agio/client/format';

/** Figures within a text of the server's, such as `1 BTC = 6012345.5 RUB`, as they are written everywhere else. */
export const figuresIn = (text: string, language: Language): string =>
  text.replace(/(?<![^\s(])\d+(?:\.\d+)?(?![^\s),;])/g, (amount) => amountText(amount, language));

/** A currency beside a sum: its ticker, and its network where that says more. */
export const unitOf = ({ ticker, network }: { ticker: string; network: string }): string =>
  network && network !== ticker ? `${ticker} ${network}` : ticker;

/** Time left or passed as on a stop watch: `4:12`, `−22:11`, `2 ч 10`, `3 дн`. */
export function fuseText(ms: number, language: Language): string {
  const sign = ms < 0 ? '\u2212' : '';
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${sign}${Math.floor(hours / 24)}${NBSP}${language === 'ru' ? 'дн' : 'd'}`;
  if (minutes >= 100) return `${sign}${hours}${NBSP}${language === 'ru' ? 'ч' : 'h'}${NBSP}${two(minutes % 60)}`;
  return `${sign}${minutes}:${two(seconds % 60)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** How long ago, in the largest fitting unit. */
export function ageText(ms: number, language: Language): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const ru = language === 'ru';
  if (minutes < 1) return ru ? 'сейчас' : 'now';
  if (minutes < 120) return `${minutes}${NBSP}${ru ? 'мин' : 'min'}`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}${NBSP}${ru ? 'ч' : 'h'}`;
  return `${Math.floor(minutes / 1440)}${NBSP}${ru ? 'дн' : 'd'}`;
}

/** The time alone today, with the day before it otherwise. */
export function dateTimeText(at: string, language: Language, now: number = Date.now()): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return timeText(at);
  const day = dateText(at, language, { day: 'numeric', month: 'short' });
  return `${day.replaceAll(' ', NBSP)}, ${timeText(at)}`;
}

/** A calendar day such as `2024-03-28` in words. */
export function longDayText(day: string, language: Language): string {
  const date = new Date(`${day.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  return dateText(date, language, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** A size of a file, in whole kilobytes or tenths of megabytes. */
export function sizeText(bytes: number, language: Language): string {
  const ru = language === 'ru';
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024))}${NBSP}${ru ? 'КБ' : 'KB'}`;
  const mega = (bytes / (1024 * 1024)).toFixed(1);
  return `${amountText(mega, language, 1)}${NBSP}${ru ? 'МБ' : 'MB'}`;
}

/** Two letters of a name, for a small round badge. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return ((words[0]?.[0] ?? '') + (words[1]?.[0] ?? '')).toUpperCase();
}
