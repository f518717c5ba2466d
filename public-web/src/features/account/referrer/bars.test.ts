import { barsOf, CHART } from './bars';

const day = (earned: string) => ({ date: '2024-03-28', visits: 0, claims: 0, earned });

describe('the bars of a chart', () => {
  it('are relative to the best day, and a day with a commission is visible', () => {
    const heights = barsOf(['0', '50', '100', '0.000001'].map(day)).map(({ height }) => height);
    expect(heights).toEqual([0, CHART.height / 2, CHART.height, 2]);
  });

  it('fill the width without touching', () => {
    const bars = barsOf(Array.from({ length: 30 }, () => day('1')));
    const last = bars.at(-1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(CHART.width);
    expect(bars[1]?.x).toBeGreaterThan((bars[0]?.x ?? 0) + (bars[0]?.width ?? 0));
  });

  it('are flat where nothing was earned', () => {
    expect(barsOf([day('0')])[0]?.height).toBe(0);
    expect(barsOf([])).toEqual([]);
  });
});
