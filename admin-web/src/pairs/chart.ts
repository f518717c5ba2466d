import type { Schema } from '@agio/client/admin';
import { compare } from '../ui/decimal.ts';

export type RatePoint = Schema<'RateHistoryPoint'>;

/** The chart's own units; the page stretches them. */
export const CHART = { width: 300, height: 80 };

/** A line that is broken where there is no number. */
export type Line = string;

/** The position of a number: a chart only draws it, so a binary number will do. */
const read = (text: string | null): number | null => (text === null ? null : Number(text));

/** The least and the greatest number, as the server wrote them. */
export function rangeOf(points: RatePoint[]): { least: string; most: string } {
  const texts = points.flatMap((point) => (point.rate === null ? [point.market] : [point.market, point.rate]));
  const ascending = texts.sort((one, other) => Number(one) - Number(other));
  return { least: ascending[0] ?? '', most: ascending.at(-1) ?? '' };
}

type Value = (point: RatePoint) => string | null;

/** The lines of the market rate and the pair's rate in one scale. */
export function linesOf(points: RatePoint[]): { market: Line; rate: Line } {
  const [market = '', rate = ''] = drawn(points, [(point) => point.market, (point) => point.rate]);
  return { market, rate };
}

/** The line of the margin, with its least and greatest number; null where there is none. */
export function marginOf(points: RatePoint[]): { line: Line; least: string; most: string } | null {
  const margins = points.flatMap(({ marginPercent }) => (marginPercent === null ? [] : [marginPercent])).sort(compare);
  const [least, most] = [margins[0], margins.at(-1)];
  if (least === undefined || most === undefined) return null;
  const [line = ''] = drawn(points, [(point) => point.marginPercent]);
  return { line, least, most };
}

/** Lines in one scale. */
function drawn(points: RatePoint[], of: Value[]): Line[] {
  const values = points.flatMap((point) => of.map((value) => read(value(point)))).filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const times = points.map((point) => Date.parse(point.at));
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const x = (time: number) => (last === first ? CHART.width / 2 : ((time - first) / (last - first)) * CHART.width);
  const y = (value: number) => (most === least ? CHART.height / 2 : ((most - value) / (most - least)) * CHART.height);
  const line = (value: Value) => {
    let path = '';
    let broken = true;
    points.forEach((point, index) => {
      const number = read(value(point));
      if (number !== null) path += `${broken ? 'M' : 'L'}${x(times[index] ?? 0).toFixed(1)} ${y(number).toFixed(1)}`;
      broken = number === null;
    });
    return path;
  };
  return of.map(line);
}
