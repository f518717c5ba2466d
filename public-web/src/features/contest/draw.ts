import type { ContestDraw } from '../../api/types';

/** What is wrong with a published draw. */
export type Wrong = 'format' | 'secret' | 'list' | 'winners';

interface Entry {
  entry: number;
  person: string;
  weight: number;
}

const FORMAT = 'agio-contest-1';
const ALL_NUMBERS = 1n << 64n;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const unhex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
}

/** The numbers of a draw in their order. */
async function* numbersOf(seed: Uint8Array): AsyncGenerator<bigint, never> {
  for (let count = 0n; ; count += 1n) {
    const place = new DataView(new ArrayBuffer(8));
    place.setBigUint64(0, count);
    const digest = await sha256(bytesOf('agio-contest-1 ticket'), seed, new Uint8Array(place.buffer));
    yield new DataView(digest.buffer).getBigUint64(0);
  }
}

async function winnersOf(seed: Uint8Array, entries: Entry[], prizes: number): Promise<number[]> {
  const numbers = numbersOf(seed);
  const won: number[] = [];
  let left = entries;
  while (won.length < prizes && left.length > 0) {
    const total = BigInt(left.reduce((sum, { weight }) => sum + weight, 0));
    const fair = (ALL_NUMBERS / total) * total;
    let number = (await numbers.next()).value;
    while (number >= fair) number = (await numbers.next()).value;
    let ticket = Number(number % total);
    const winner = left.find(({ weight }) => {
      ticket -= weight;
      return ticket < 0;
    });
    if (!winner) break;
    won.push(winner.entry);
    left = left.filter(({ person }) => person !== winner.person);
  }
  return won;
}

/** Whether the browser can compute digests, which requires TLS. */
export const canCheck = (): boolean => typeof crypto !== 'undefined' && crypto.subtle !== undefined;

/** Recomputes a draw from the published file; gives what is wrong with it. */
export async function check(draw: ContestDraw): Promise<Wrong[]> {
  if (draw.format !== FORMAT || draw.secret === null || draw.publicValue === null) return ['format'];
  const wrong: Wrong[] = [];
  const secret = unhex(draw.secret);
  if (hexOf(await sha256(secret)) !== draw.commitment) wrong.push('secret');
  const list = await sha256(bytesOf(draw.entrants.map((line) => `${line}\n`).join('')));
  if (hexOf(list) !== draw.entrantsSha256) wrong.push('list');
  const entries = draw.entrants
    .map((line) => JSON.parse(line) as Entry)
    .filter(({ entry }) => !draw.void.includes(entry));
  const seed = await sha256(bytesOf('agio-contest-1 seed'), secret, list, bytesOf(draw.publicValue));
  const won = await winnersOf(seed, entries, draw.prizes);
  if (won.join() !== draw.winners.join()) wrong.push('winners');
  return wrong;
}
