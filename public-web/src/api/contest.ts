/**
 * What the calls about contests say.
 *
 * Times are RFC 3339 in UTC, amounts decimal strings.
 */

export type ContestState = 'planned' | 'running' | 'closed' | 'drawn' | 'paid' | 'cancelled';

export interface ContestPrize {
  place: number;
  amount: string;
  code: string;
  /** Who won it; the entry is the number of their claim. */
  winner: { name: string; entry: number } | null;
}

export interface Contest {
  id: string;
  title: string;
  /** Plain text, an empty line between paragraphs. */
  rules: string;
  state: ContestState;
  startsAt: string;
  endsAt: string;
  /** From when on the public value may be taken. */
  publicAt: string;
  /** The value that nobody controls, named before the period begins. */
  source: string;
  /** For how much of the base currency an exchange is one ticket; null where each is one. */
  perWorth: string | null;
  base: string;
  mostWeight: number;
  prizes: ContestPrize[];
  commitment: string;
  entrantsSha256: string | null;
  entries: number;
  people: number;
  tickets: number;
  standing: { name: string; entries: number; tickets: number }[];
  drawnAt: string | null;
}

export interface ContestOverview {
  on: boolean;
  current: Contest | null;
  past: Contest[];
  now: string;
}

/** Everything a draw follows from. */
export interface ContestDraw {
  format: string;
  contest: string;
  commitment: string;
  entrantsSha256: string;
  publicSource: string;
  publicAt: string;
  prizes: number;
  /** Each line is JSON and stands here as it is digested. */
  entrants: string[];
  void: number[];
  secret: string | null;
  publicValue: string | null;
  publicReference: string | null;
  winners: number[];
}

export interface ContestCalls {
  'GET /contest/': { answer: ContestOverview };
  'GET /contest/{id}/draw/': { path: { id: string }; answer: ContestDraw };
}
