import { seedOf } from './seed';

/**
 * Guilloche: a pair of currency codes to a rosette, always the same for the same pair.
 *
 * A circle r rolls inside a circle R, a pen at distance d from the centre of the small one draws a hypotrochoid:
 *
 *     z(t) = (R - r) e^(it) + d e^(-ikt),     k = (R - r) / r
 *
 * With R/r = p/q in lowest terms, k = (p - q)/q, the curve closes after q turns and has p petals, each joined to the
 * q-th next one. Every point lies in a ring a..b, so the ring is chosen first: R - r = (a + b)/2, d = (b - a)/2.
 *
 * One curve is a toy; a guilloche is a family of strands that differ only in depth, from h0 to h1. They meet on the mid
 * circle and part towards the petals in equal steps: the shading of an engraving. With h1 < 0 the strands pass through
 * the circle and come out turned by half a petal: lace.
 *
 * Paths are drawn in a box of 1000 x 1000, coordinates to a tenth.
 */
export interface Strand {
  /** The colour: of the given currency or of the received one. */
  ink: 'a' | 'b';
  d: string;
}

/** Mulberry32: numbers between 0 and 1, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The number nearest to `want` that shares no divisor with `p`. */
function coprime(p: number, want: number): number {
  for (let step = 0; step < p; step++) {
    if (want + step < p && commonDivisor(p, want + step) === 1) return want + step;
    if (want - step > 1 && commonDivisor(p, want - step) === 1) return want - step;
  }
  return 1;
}

const tenth = (value: number) => Math.round(value * 10) / 10;

interface Ring {
  inner: number;
  outer: number;
  petals: number;
  weave: number;
}

/** One closed strand of a ring, its points joined by quadratics through the midpoints. */
function strand({ inner, outer, petals, weave }: Ring, depth: number, pointsAPetal: number): string {
  const middle = (inner + outer) / 2;
  const reach = ((outer - inner) / 2) * depth;
  const k = (petals - weave) / weave;
  const count = petals * pointsAPetal;
  const points = Array.from({ length: count }, (_, i): [number, number] => {
    const t = (2 * Math.PI * weave * i) / count;
    return [500 + middle * Math.sin(t) - reach * Math.sin(k * t), 500 - middle * Math.cos(t) - reach * Math.cos(k * t)];
  });
  const between = ([ax, ay]: [number, number], [bx, by]: [number, number]) =>
    `${tenth((ax + bx) / 2)} ${tenth((ay + by) / 2)}`;
  const start = between(points.at(-1) as [number, number], points[0] as [number, number]);
  const curves = points.map((point, i) => {
    const after = points[(i + 1) % count] as [number, number];
    return `Q${tenth(point[0])} ${tenth(point[1])} ${between(point, after)}`;
  });
  return `M${start}${curves.join('')}Z`;
}

function family(ink: Strand['ink'], ring: Ring, count: number, from: number, to: number, pointsAPetal = 9): Strand[] {
  return Array.from({ length: count }, (_, j) => ({
    ink,
    d: strand(ring, from + ((to - from) * j) / (count - 1), pointsAPetal),
  }));
}

function shape(from: string, to: string) {
  const a = numbersFrom(seedOf(`from:${from}`));
  const b = numbersFrom(seedOf(`to:${to}`));
  const both = numbersFrom(seedOf(`${from}>${to}`));
  const petalsA = 10 + Math.floor(a() * 9);
  const weaveA = coprime(petalsA, Math.round(petalsA * (0.33 + 0.13 * a())));
  const petalsB = 8 + Math.floor(b() * 7);
  const weaveB = coprime(petalsB, Math.round(petalsB * (0.34 + 0.12 * b())));
  return { petalsA, weaveA, petalsB, weaveB, cut: 252 + Math.round(36 * both()) };
}

/** The rosette of a pair: the outer part from the given code, the inner from the received one, lace from both. */
export function rosette(from: string, to: string): Strand[] {
  const { petalsA, weaveA, petalsB, weaveB, cut } = shape(from, to);
  const lace = petalsA + petalsB;
  return [
    ...family('a', { inner: cut - 22, outer: 478, petals: petalsA, weave: weaveA }, 12, 1, 0.36),
    ...family('a', { inner: cut - 40, outer: cut + 62, petals: lace, weave: 1 }, 7, 1, -1, 6),
    ...family('b', { inner: 74, outer: cut + 8, petals: petalsB, weave: weaveB }, 11, 1, 0.34),
    ...family('b', { inner: 66, outer: 132, petals: lace, weave: 1 }, 6, 1, -1, 6),
  ];
}

/** The rosette of a pair for lists, with a tenth of the lines. */
export function smallRosette(from: string, to: string): Strand[] {
  const { petalsA, weaveA, petalsB } = shape(from, to);
  const outer = 7 + (petalsA % 6);
  const inner = 5 + (petalsB % 5);
  return [
    ...family('a', { inner: 270, outer: 480, petals: outer, weave: coprime(outer, 2 + (weaveA % 3)) }, 3, 1, 0.5, 10),
    ...family('b', { inner: 90, outer: 330, petals: inner, weave: coprime(inner, 2) }, 3, 1, 0.4, 10),
  ];
}

/** The straight band for edges: a wave of whole periods, so that tiles meet without a seam. */
export function band(seed: string, width: number, height: number): Strand[] {
  const number = numbersFrom(seedOf(seed));
  const slow = 14 + Math.floor(number() * 6);
  const fast = slow * 2 + 1;
  const phases = 9;
  return Array.from({ length: phases }, (_, phase) => {
    const points = Array.from({ length: fast * 14 + 1 }, (_, i) => {
      const u = i / (fast * 14);
      const reach = (height / 2) * (0.66 + 0.3 * Math.cos(2 * Math.PI * slow * u));
      const y = height / 2 + reach * Math.sin(2 * Math.PI * fast * u + (phase * Math.PI) / phases);
      return `${tenth(u * width)} ${tenth(y)}`;
    });
    return { ink: phase % 2 ? 'a' : 'b', d: `M${points.join('L')}` } as const;
  });
}
