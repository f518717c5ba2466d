import type { Locale } from '../../i18n/locale';

/** A moment in the visitor's own time: "1 May 2024, 12:00". */
export function dayText(moment: string, locale: Locale, timeZone?: string): string {
  const write = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'ru', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  return write.format(new Date(moment));
}
