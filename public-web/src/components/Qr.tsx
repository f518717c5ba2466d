import { useDeferredValue, useMemo } from 'react';
import { encode } from 'uqr';
import css from './Qr.module.css';

/** A QR code as one path. Always dark on white: scanners expect it in either theme. */
export function Qr({ text, label }: { text: string; label: string }) {
  // It takes a phone a tenth of a second, and the page comes first.
  const shown = useDeferredValue(text, '');
  const { path, size } = useMemo(() => (shown === '' ? { path: '', size: 1 } : draw(shown)), [shown]);
  return (
    <div className={css.plate}>
      <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={label}>
        <path d={path} />
      </svg>
    </div>
  );
}

/** The path of the dark modules, in units of one module. */
export function draw(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: 0 });
  const runs = data.flatMap((row, y) => darkRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`));
  return { path: runs.join(''), size };
}

function darkRuns(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (!dark) continue;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
