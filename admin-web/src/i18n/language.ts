export type Language = 'ru' | 'en';

const KEY = 'agio.language';
export const LANGUAGES: readonly Language[] = ['ru', 'en'];

const isLanguage = (value: unknown): value is Language => LANGUAGES.includes(value as Language);

let current: Language = remembered() ?? preferred();

/** The language of the console and of what the server says to it. */
export const language = (): Language => current;

export function setLanguage(value: string): Language {
  current = isLanguage(value) ? value : 'ru';
  document.documentElement.lang = current;
  try {
    localStorage.setItem(KEY, current);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  return current;
}

function remembered(): Language | null {
  try {
    const value = localStorage.getItem(KEY);
    return isLanguage(value) ? value : null;
  } catch {
    return null;
  }
}

function preferred(): Language {
  return globalThis.navigator?.language?.startsWith('en') ? 'en' : 'ru';
}
