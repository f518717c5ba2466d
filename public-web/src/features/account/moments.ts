import type { Locale } from '../../i18n/locale';

/** The language a date is written in: English as it is written outside of America, the day first. */
const tagOf = (locale: Locale) => (locale === 'en' ? 'en-GB' : 'ru');

/** A moment in the visitor's own time: "today, 14:15", "20 November, 18:02"; with the year where it is another. */
export function momentText(moment: string, locale: Locale, now: Date, timeZone?: string): string {
  const at = new Date(moment);
  const write = (options: Intl.DateTimeFormatOptions, date = at) =>
    new Intl.DateTimeFormat(tagOf(locale), { ...options, timeZone }).format(date);
  const time = write({ hour: '2-digit', minute: '2-digit' });
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  if (write(day) === write(day, now)) {
    const today = new Intl.RelativeTimeFormat(tagOf(locale), { numeric: 'auto' }).format(0, 'day');
    return `${today}, ${time}`;
  }
  const isThisYear = write({ year: 'numeric' }) === write({ year: 'numeric' }, now);
  const date = write({ day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) });
  return `${date}, ${time}`;
}
