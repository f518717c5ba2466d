// @vitest-environment happy-dom

import { rememberCode, rememberedCode } from './memory';
import { recordVisit } from './visit';

const DAY = 86_400_000;
const NOW = new Date('2024-03-28T12:00:00Z');
const link = (code: string) => ({ pathname: '/', search: `?cur_from=BTC&rid=${code}` });

let visits: string[] = [];

beforeEach(() => {
  localStorage.clear();
  visits = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    visits.push((JSON.parse(String(init.body)) as { code: string }).code);
    return Response.json({ days: 180 });
  });
});

afterEach(() => vi.unstubAllGlobals());

describe('a referral link', () => {
  it("is reported once a day and remembered for the server's number of days", async () => {
    await recordVisit(link('K7QX4MPA'), NOW);
    await recordVisit(link('K7QX4MPA'), NOW);
    expect(visits).toEqual(['K7QX4MPA']);
    expect(rememberedCode(NOW.getTime() + 179 * DAY)).toBe('K7QX4MPA');
    expect(rememberedCode(NOW.getTime() + 181 * DAY)).toBeUndefined();
    await recordVisit(link('K7QX4MPA'), new Date(NOW.getTime() + DAY));
    expect(visits).toHaveLength(2);
  });

  it('is kept when another link is used later', async () => {
    await recordVisit(link('FRST2222'), NOW);
    await recordVisit(link('SCND3333'), NOW);
    expect(visits).toEqual(['FRST2222', 'SCND3333']);
    expect(rememberedCode(NOW.getTime())).toBe('FRST2222');
  });

  it('is remembered where the visitor leaves before the answer, and where none comes', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    let meanwhile: string | undefined;
    vi.stubGlobal('fetch', async () => {
      meanwhile = rememberedCode(NOW.getTime());
      throw new TypeError('the page is left');
    });
    await recordVisit(link('K7QX4MPA'), NOW);
    expect([meanwhile, rememberedCode(NOW.getTime() + DAY / 2)]).toEqual(['K7QX4MPA', 'K7QX4MPA']);
  });

  it('is ignored without a valid code', async () => {
    await recordVisit({ pathname: '/en', search: '?rid=' }, NOW);
    await recordVisit(link('A'.repeat(65)), NOW);
    expect(visits).toEqual([]);
    expect(rememberedCode(NOW.getTime())).toBeUndefined();
  });
});

it('an unreadable stored value is ignored', () => {
  for (const stored of ['', '5', '{"code":7,"until":9e15}', 'null', '{"code":"A"}']) {
    localStorage.setItem('agio.rid', stored);
    expect(rememberedCode()).toBeUndefined();
  }
  rememberCode('K7QX4MPA', 1);
  expect(rememberedCode()).toBe('K7QX4MPA');
});

it('a later visit does not shorten the time', () => {
  const now = NOW.getTime();
  rememberCode('K7QX4MPA', 180, now);
  rememberCode('K7QX4MPA', 1, now + DAY);
  expect(rememberedCode(now + 179 * DAY)).toBe('K7QX4MPA');
  rememberCode('K7QX4MPA', 180, now + 10 * DAY);
  expect(rememberedCode(now + 189 * DAY)).toBe('K7QX4MPA');
});
