import { momentText } from './moments';
import { pagesAround } from './orders/pages';
import { browserName } from './settings/agent';

describe('a date and time', () => {
  const now = new Date('2024-11-21T09:00:00Z');
  it.each([
    ['2024-11-21T06:15:00Z', 'ru', 'сегодня, 09:15'],
    ['2024-11-20T15:02:00Z', 'ru', '20 ноября, 18:02'],
    // The day before in UTC, but already today in Moscow.
    ['2024-11-20T21:30:00Z', 'en', 'today, 00:30'],
    ['2023-12-31T20:59:00Z', 'en', '31 December 2023, 23:59'],
  ] as const)('%s in %s: %s', (moment, locale, text) => {
    expect(momentText(moment, locale, now, 'Europe/Moscow')).toBe(text);
  });
});

it.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [4, 8, [1, 2, 3, 4, 5, null, 8]],
  [5, 9, [1, null, 4, 5, 6, null, 9]],
  [9, 9, [1, null, 8, 9]],
  // An address may name a page that is not there.
  [7, 2, [1, 2]],
] as const)('page %i of %i is chosen from %j', (page, last, shown) => {
  expect(pagesAround(page, last)).toEqual(shown);
});

describe('a browser', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'Chrome, Windows'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0', 'Edge, Windows'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/124.0 YaBrowser/24.6 Safari/537.36',
      'Yandex Browser, Linux',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1', 'Safari, iPhone'],
    ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', 'Firefox, Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
  ])('%s is called %s', (agent, name) => {
    expect(browserName(agent)).toBe(name);
  });

  it('without a text has no name', () => {
    expect(browserName(' ')).toBeNull();
  });
});
