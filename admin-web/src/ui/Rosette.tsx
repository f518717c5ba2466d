import { memo } from 'react';

const POINTS = 1080;

/** One closed line of an engraved rosette: a wheel rolling inside a wheel. */
function loop(radius: number, petals: number, depth: number): string {
  const points = Array.from({ length: POINTS + 1 }, (_, step) => {
    const turn = (step / POINTS) * Math.PI * 2;
    const reach = radius * (1 - depth + depth * Math.cos(turn * petals));
    const angle = turn + 0.16 * Math.sin(turn * petals);
    return `${(reach * Math.cos(angle)).toFixed(1)} ${(reach * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join('L')}Z`;
}

const LINES = Array.from({ length: 14 }, (_, ring) => loop(100 - ring * 4.6, 36, 0.06 + ring * 0.026));

/** The engraving of a banknote, in lines; decoration only. */
export const Rosette = memo(function Rosette({ className }: { className?: string }) {
  return (
    <svg className={className} viewBox="-101 -101 202 202" aria-hidden="true" focusable="false">
      {LINES.map((line) => (
        <path key={line.length + line.slice(1, 9)} d={line} fill="none" stroke="currentColor" strokeWidth="0.18" />
      ))}
    </svg>
  );
});
