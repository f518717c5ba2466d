import { dateText } from '@agio/client/format';
import type { Locale } from '../../i18n/locale';

/** Day and time: "1 May 2024, 12:00". */
export const momentText = (moment: string, locale: Locale): string =>
  dateText(moment, locale, { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' });
