/** Amounts and dates in the languages of both sites. */
export type Language = 'ru' | 'en';

/** Does not break a line. */
export const NBSP = '\u00a0';

const SIGNS: Record<Language, { decimal: string; group: string }> = {
  ru: { decimal: ',', group: NBSP },
  en: { decimal: '.', group: ',' },
};

export interface AmountParts {
  sign: string;
  whole: string;
  /** With its decimal sign; empty for whole amounts. */
  fraction: string;
}

/** Splits a decimal at its sign, digits grouped. Trailing zeros go, save for so many places. */
export function splitAmount(amount: string, language: Language, places = 0): AmountParts {
  const [, sign = '', digits = '0', rest = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const { decimal, group } = SIGNS[language];
  const fraction = rest.replace(/0+$/, '').padEnd(places, '0');
  return {
    sign: sign === '-' ? '\u2212' : sign,
    whole: digits.replace(/\B(?=(\d{3})+$)/g, group),
    fraction: fraction && decimal + fraction,
  };
}

/** A decimal as the language writes it, without the loss of a digit. */
export function amountText(amount: string, language: Language, places = 0): string {
  const { sign, whole, fraction } = splitAmount(amount, language, places);
  return sign + whole + fraction;
}

/** British English writes the day first and counts hours to 24, as Russian does. */
const TAGS: Record<Language, string> = { ru: 'ru-RU', en: 'en-GB' };

/** A date in the reader's time zone, unless the options name another. */
export const dateText = (
  date: string | number | Date,
  language: Language,
  options: Intl.DateTimeFormatOptions,
): string => new Intl.DateTimeFormat(TAGS[language], options).format(new Date(date));

/**
 * Hours, minutes and seconds in the reader's time zone, which both languages write alike. Without `Intl`, whose first use
 * takes a phone a tenth of a second.
 */
export function clockText(date: string | number | Date): string {
  const at = new Date(date);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/**
 * A calendar day, as of ISO 8601, without `Intl` as well: "28.03.2024" in Russian, and as it is in English, whose readers
 * disagree about the order of other numbers.
 */
export const numericDayText = (day: string, language: Language): string =>
  language === 'ru' ? day.split('-').reverse().join('.') : day;

/** Hours and minutes. */
export const timeText = (date: string | number | Date): string => clockText(date).slice(0, 5);

/** A percentage: "1,5 %" in Russian, "1.5%" in English. */
export const percentText = (percent: string, language: Language): string =>
  `${amountText(percent, language)}${language === 'ru' ? NBSP : ''}%`;
