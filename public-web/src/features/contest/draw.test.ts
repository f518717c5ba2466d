import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ContestDraw } from '../../api/types';
import { check } from './draw';

const file = new URL('../../../../openapi/vectors/contest.json', import.meta.url);
const draw = JSON.parse(readFileSync(file, 'utf8')) as ContestDraw;

describe('a published draw', () => {
  it('is recomputed to the same winners', async () => {
    expect(await check(draw)).toEqual([]);
  });

  it('fails the check when one entry is changed', async () => {
    const entrants = draw.entrants.map((line, place) =>
      place === 5 ? line.replace(/"weight":\d+/, '"weight":9') : line,
    );
    expect(entrants).not.toEqual(draw.entrants);
    expect(await check({ ...draw, entrants })).toContain('list');
  });

  it('fails the check with another secret, value or list of winners', async () => {
    expect(await check({ ...draw, secret: '00'.repeat(32) })).toEqual(['secret', 'winners']);
    expect(await check({ ...draw, publicValue: `${draw.publicValue}0` })).toEqual(['winners']);
    expect(await check({ ...draw, winners: [...draw.winners].reverse() })).toEqual(['winners']);
    expect(await check({ ...draw, secret: null })).toEqual(['format']);
  });
});
