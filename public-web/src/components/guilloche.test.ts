import { band, rosette, smallRosette } from './guilloche';

describe('a rosette', () => {
  it('is always the same for the same pair', () => {
    expect(rosette('BTC', 'SBERRUB')).toEqual(rosette('BTC', 'SBERRUB'));
  });

  it('differs between pairs, and between a pair and its reverse', () => {
    const drawings = [rosette('BTC', 'SBERRUB'), rosette('SBERRUB', 'BTC'), rosette('ETH', 'SBERRUB')];
    expect(new Set(drawings.map((strands) => strands[0]?.d + (strands.at(-1)?.d ?? ''))).size).toBe(3);
  });

  it('stays inside its box', () => {
    const strands = [...rosette('USDTTRC20', 'CASHRUB'), ...smallRosette('TON', 'KSPBKZT')];
    for (const { d } of strands) {
      const numbers = d.match(/-?\d+(\.\d+)?/g)?.map(Number) ?? [];
      expect(numbers.length).toBeGreaterThan(100);
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...numbers)).toBeLessThanOrEqual(1000);
    }
  });
});

it('a band begins and ends at the same height, so that tiles meet', () => {
  for (const { d } of band('AGIO', 1120, 40)) {
    const ends = d.slice(1).split('L');
    expect(ends[0]?.split(' ')[1]).toBe(ends.at(-1)?.split(' ')[1]);
  }
});
