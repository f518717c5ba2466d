const RAYS = Array.from({ length: 16 }, (_, ray) => (ray * Math.PI) / 8);

/** The logo: the rays of an engraved sun. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="-16 -16 32 32" aria-hidden="true" focusable="false">
      {RAYS.map((angle) => (
        <line
          key={angle}
          x1={5.5 * Math.cos(angle)}
          y1={5.5 * Math.sin(angle)}
          x2={14.5 * Math.cos(angle)}
          y2={14.5 * Math.sin(angle)}
          stroke="var(--engrave)"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
      ))}
    </svg>
  );
}
