import { dateText } from '@agio/client/format';
import type { Locale } from '../../i18n/locale';

/** A date and time: "today, 14:15", "20 November, 18:02"; with the year where it is another. */
export function momentText(moment: string, locale: Locale, now: Date, timeZone?: string): string {
  const write = (options: Intl.DateTimeFormatOptions, date: string | Date = moment) =>
    dateText(date, locale, { ...options, timeZone });
  const isSame = (options: Intl.DateTimeFormatOptions) => write(options) === write(options, now);
  const time = write({ hour: '2-digit', minute: '2-digit' });
  if (isSame({ dateStyle: 'short' })) {
    return `${new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'day')}, ${time}`;
  }
  const year = isSame({ year: 'numeric' }) ? undefined : 'numeric';
  return `${write({ day: 'numeric', month: 'long', year })}, ${time}`;
}
