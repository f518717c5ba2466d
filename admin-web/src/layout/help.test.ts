import { describe, expect, it } from 'vitest';
import { en } from '../i18n/en.ts';
import { ru } from '../i18n/ru.ts';
import { GUIDE_PAGES, helpAddress } from './help.ts';
import { GROUPS } from './screens.ts';

const FILES = import.meta.glob<string>('../../../docs/guide/*/operator/*.md', {
  eager: true,
  import: 'default',
  query: '?raw',
});

/** The pages of the guide in a language: name and text. */
function guide(language: string): [string, string][] {
  const folder = `/guide/${language}/operator/`;
  return Object.entries(FILES)
    .filter(([path]) => path.includes(folder))
    .map(([path, text]) => [path.replace(/.*\/(.+)\.md$/, '$1'), text]);
}

const names = (language: string) => guide(language).map(([name]) => name);

/** All texts of a dictionary, each plural form by itself, without the unit that stands after a comma. */
function labels(dictionary: object): string[] {
  return Object.values(dictionary).flatMap((value) =>
    typeof value === 'string'
      ? value.split(' |||| ').map((text) => text.replace(/, %\{[a-z]+\}$/, ''))
      : labels(value as object),
  );
}

describe('the operator’s guide', () => {
  it('has a page for every screen', () => {
    const screens = GROUPS.flatMap((group) => group.screens.map((screen) => screen.path.slice(1)));
    expect(Object.keys(GUIDE_PAGES)).toEqual(expect.arrayContaining(screens));
    expect(names('en')).toEqual(expect.arrayContaining(Object.values(GUIDE_PAGES)));
  });

  it('has the same pages in both languages', () => {
    expect(names('ru')).toEqual(names('en'));
  });

  it('is opened at the screen, in the language of the console', () => {
    expect(helpAddress('/', 'en')).toBe('/help/guide/en/operator/overview.html');
    expect(helpAddress('/claims/4c1f', 'ru')).toBe('/help/guide/ru/operator/claims.html');
    expect(helpAddress('/welcome', 'ru')).toBe('/help/guide/ru/operator/index.html');
  });

  it.each([
    ['en', en],
    ['ru', ru],
  ])('names what the console shows exactly so: %s', (language, dictionary) => {
    // The names of languages are not in the dictionary, and one page says what bold type means.
    const known = new Set([...labels(dictionary), 'RU', 'EN', 'bold', 'жирным']);
    const unknown = guide(language).flatMap(([name, text]) =>
      [...text.replace(/\n */g, ' ').matchAll(/\*\*(.+?)\*\*/g)]
        .filter(([, label = '']) => !known.has(label))
        .map(([label]) => `${name}: ${label}`),
    );
    expect(unknown).toEqual([]);
  });
});
