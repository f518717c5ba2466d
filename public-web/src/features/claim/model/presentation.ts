import type { ClaimAction, ClaimState } from '../../../api/types';
import type { ShownState } from '../../../openClaims/progress';

/** The screen of a state on the ticket. */
export type Step =
  | 'review'
  | 'verification'
  | 'pay'
  | 'confirmations'
  | 'progress'
  | 'choice'
  | 'hold'
  | 'success'
  | 'fail';

/** The mark of the current station: the customer's turn, ours, stopped, done. */
export type Tone = 'act' | 'wait' | 'stop' | 'done';

export type Track = 'exchange' | 'refund';

/** The stations, and the labels that replace them in some states. */
export type StationKey =
  | 'payment'
  | 'arrival'
  | 'confirmations'
  | 'exchange'
  | 'payout'
  | 'done'
  | 'refund'
  | 'returning'
  | 'returned'
  | 'surplus'
  | 'review'
  | 'verification'
  | 'choice'
  | 'stopped'
  | 'cancelled'
  | 'expired'
  | 'rejected';

export interface Presentation {
  step: Step;
  track: Track;
  /** Index of the current station of the track. */
  station: number;
  tone: Tone;
  /** A label that replaces the station's own, as "Stopped". */
  stationLabel?: StationKey;
  /** The main action, shown only while the server allows it. */
  main: ClaimAction | null;
  /** Further actions in their order, shown only while the server allows them. */
  others: readonly ClaimAction[];
}

const exchange = { track: 'exchange', main: null, others: [] } as const;
const refund = { ...exchange, track: 'refund' } as const;

/** The texts are in the dictionary under `state.<state>`. */
// biome-ignore format: one state per line.
export const PRESENTATIONS: Readonly<Record<ClaimState, Presentation>> = {
  created: { ...exchange, step: 'review', station: 0, tone: 'act', stationLabel: 'review', main: 'confirm', others: ['cancel'] },
  verification: { ...exchange, step: 'verification', station: 0, tone: 'wait', stationLabel: 'verification', main: 'upload', others: ['cancel'] },
  awaiting_payment: { ...exchange, step: 'pay', station: 0, tone: 'act', main: 'paid', others: ['upload', 'cancel'] },
  payment_claimed: { ...exchange, step: 'progress', station: 1, tone: 'wait', others: ['upload'] },
  payment_seen: { ...exchange, step: 'confirmations', station: 1, tone: 'wait', others: ['upload'] },
  amount_mismatch: { ...exchange, step: 'choice', station: 1, tone: 'act', stationLabel: 'choice', main: 'accept', others: ['upload', 'refund'] },
  late_payment: { ...exchange, step: 'choice', station: 1, tone: 'act', stationLabel: 'choice', main: 'accept', others: ['refund'] },
  on_hold: { ...exchange, step: 'hold', station: 1, tone: 'stop', stationLabel: 'stopped', main: 'upload', others: ['refund'] },
  paid: { ...exchange, step: 'progress', station: 2, tone: 'wait' },
  processing: { ...exchange, step: 'progress', station: 2, tone: 'wait' },
  payout_sent: { ...exchange, step: 'progress', station: 3, tone: 'wait' },
  payout_error: { ...exchange, step: 'progress', station: 3, tone: 'wait' },
  payout_partial: { ...exchange, step: 'progress', station: 3, tone: 'wait' },
  refund_pending: { ...refund, step: 'progress', station: 2, tone: 'wait' },
  refund_sent: { ...refund, step: 'progress', station: 3, tone: 'wait' },
  completed: { ...exchange, step: 'success', station: 4, tone: 'done' },
  refunded: { ...refund, step: 'fail', station: 4, tone: 'done' },
  cancelled: { ...exchange, step: 'fail', station: 0, tone: 'stop', stationLabel: 'cancelled' },
  expired: { ...exchange, step: 'fail', station: 0, tone: 'stop', stationLabel: 'expired' },
  rejected: { ...exchange, step: 'fail', station: 0, tone: 'stop', stationLabel: 'rejected' },
};

const SURPLUS: Presentation = { ...exchange, step: 'progress', station: 4, tone: 'wait', stationLabel: 'surplus' };

export const isReturningSurplus = (state: ShownState): state is 'surplus_pending' | 'surplus_sent' =>
  state === 'surplus_pending' || state === 'surplus_sent';

export const presentationOf = (state: ShownState): Presentation =>
  isReturningSurplus(state) ? SURPLUS : PRESENTATIONS[state];

const TRACKS: Readonly<Record<Track, readonly StationKey[]>> = {
  exchange: ['payment', 'arrival', 'exchange', 'payout', 'done'],
  refund: ['payment', 'arrival', 'refund', 'returning', 'returned'],
};

export interface StationMark {
  /** The text is in the dictionary under `stations`. */
  key: StationKey;
  mark: 'done' | 'act' | 'wait' | 'stop' | 'ahead';
}

const hasEndedEarly = (state: ShownState) => state === 'cancelled' || state === 'expired' || state === 'rejected';

/** The stations with their marks; `needsAnswer`: the current one is the customer's turn. */
export function stationsOf(state: ShownState, giveKind: string, needsAnswer = false): StationMark[] {
  const { track, station, tone, stationLabel } = presentationOf(state);
  // A claim that ended has nothing ahead.
  const stations = hasEndedEarly(state) ? TRACKS[track].slice(0, station + 1) : TRACKS[track];
  return stations.map((name, index) => {
    const key = name === 'arrival' && giveKind === 'crypto' ? 'confirmations' : name;
    if (index < station) return { key, mark: 'done' };
    if (index > station) return { key, mark: 'ahead' };
    return { key: stationLabel ?? key, mark: needsAnswer ? 'act' : tone };
  });
}

/** The page of a final state; null while the claim is in progress. */
export function finalPageOf(state: ShownState): 'success' | 'fail' | null {
  const { step } = presentationOf(state);
  return step === 'success' || step === 'fail' ? step : null;
}

/** Whether the claim cannot change any more. Money may still arrive for an expired, cancelled or rejected one. */
export function isSettled(state: ClaimState): boolean {
  return state === 'completed' || state === 'refunded';
}
