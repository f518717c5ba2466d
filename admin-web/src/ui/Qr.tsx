import { useMemo } from 'react';
import { encode } from 'uqr';
import css from './Qr.module.css';

/** A QR code as one path, each run of dark modules a rectangle. Always dark on white: scanners expect it in either theme. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => draw(text), [text]);
  return (
    <div className={css.plate}>
      <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={label}>
        <path d={path} />
      </svg>
    </div>
  );
}

function draw(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: 0 });
  const row = (dark: readonly boolean[], y: number) =>
    [
      ...dark
        .map((on) => (on ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`);
  return { path: data.flatMap(row).join(''), size };
}
