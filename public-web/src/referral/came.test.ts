// @vitest-environment happy-dom
import { cameBy } from './came';
import { rememberCode, rememberedCode } from './memory';

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

describe('a link somebody came by', () => {
  it('is told of once a day and remembered for the days the server says', async () => {
    await cameBy(link('K7QX4MPA'), NOW);
    await cameBy(link('K7QX4MPA'), NOW);
    expect(visits).toEqual(['K7QX4MPA']);
    expect(rememberedCode(NOW.getTime() + 179 * DAY)).toBe('K7QX4MPA');
    expect(rememberedCode(NOW.getTime() + 181 * DAY)).toBeUndefined();
    await cameBy(link('K7QX4MPA'), new Date(NOW.getTime() + DAY));
    expect(visits).toHaveLength(2);
  });

  it('stays when another comes later', async () => {
    await cameBy(link('FRST2222'), NOW);
    await cameBy(link('SCND3333'), NOW);
    expect(visits).toEqual(['FRST2222', 'SCND3333']);
    expect(rememberedCode(NOW.getTime())).toBe('FRST2222');
  });

  it('is remembered by whoever moves on before the server answers, and by whoever it never answers', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    let meanwhile: string | undefined;
    vi.stubGlobal('fetch', async () => {
      meanwhile = rememberedCode(NOW.getTime());
      throw new TypeError('the page is left');
    });
    await cameBy(link('K7QX4MPA'), NOW);
    expect([meanwhile, rememberedCode(NOW.getTime() + DAY / 2)]).toEqual(['K7QX4MPA', 'K7QX4MPA']);
  });

  it('is nothing without a code, or with one that cannot be', async () => {
    await cameBy({ pathname: '/en', search: '?rid=' }, NOW);
    await cameBy(link('A'.repeat(65)), NOW);
    expect(visits).toEqual([]);
    expect(rememberedCode(NOW.getTime())).toBeUndefined();
  });
});

it('a memory that is not ours is none', () => {
  for (const kept of ['', '5', '{"code":7,"until":9e15}', 'null', '{"code":"A"}']) {
    localStorage.setItem('agio.rid', kept);
    expect(rememberedCode()).toBeUndefined();
  }
  rememberCode('K7QX4MPA', 1);
  expect(rememberedCode()).toBe('K7QX4MPA');
});

it('what is remembered for long is not forgotten sooner by the next visit', () => {
  const now = NOW.getTime();
  rememberCode('K7QX4MPA', 180, now);
  rememberCode('K7QX4MPA', 1, now + DAY);
  expect(rememberedCode(now + 179 * DAY)).toBe('K7QX4MPA');
  rememberCode('K7QX4MPA', 180, now + 10 * DAY);
  expect(rememberedCode(now + 189 * DAY)).toBe('K7QX4MPA');
});
