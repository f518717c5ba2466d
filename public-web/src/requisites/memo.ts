import type { RequisiteKind } from '../api/types';
import { GOOD, refuse, type Verdict } from './verdict';

/** Most bytes of a memo on the networks that have a limit of their own. */
const LONGEST: Partial<Record<RequisiteKind, number>> = {
  xlm: 28,
  ton: 123,
  eos: 256,
  atom: 256,
  hbar: 100,
  xem: 1024,
  algo: 1024,
};

/** Most characters of a memo anywhere else. */
const LONGEST_ELSEWHERE = 120;

/** Checks a memo by the rule of the network of the address it goes with. */
export function checkMemo(value: string, address: RequisiteKind | undefined): Verdict {
  if (address === 'xrp') return checkTag(value);
  if (address === 'xlm' && /^\d+$/.test(value) && BigInt(value) >= 2n ** 64n) return refuse('out_of_range');
  const longest = address && LONGEST[address];
  const isLong = longest ? new TextEncoder().encode(value).length > longest : [...value].length > LONGEST_ELSEWHERE;
  return isLong ? refuse('bad_length') : GOOD;
}

/** A destination tag of the XRP Ledger. */
export function checkTag(value: string): Verdict {
  if (!/^\d+$/.test(value)) return refuse('not_a_number');
  return BigInt(value) > 4294967295n ? refuse('out_of_range') : GOOD;
}
