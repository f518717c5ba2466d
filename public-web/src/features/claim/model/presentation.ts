import type { ClaimAction, ClaimState, CurrencyKind } from '../../../api/types';

/** The screen a state opens on the face of the ticket. */
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

/** How the current station is marked: the customer's turn, ours, stopped, or behind us. */
export type Tone = 'act' | 'wait' | 'stop' | 'done';

/** Which journey the stations tell. */
export type Track = 'exchange' | 'refund';

/** Names of the stations, and the labels that replace them while a claim stands there in need of a word. */
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
  /** Key of a label that replaces the station's own while the claim stands there, e.g. "Stopped". */
  stationLabel?: StationKey;
  /** The one thing to do now; shown only while the server allows it. */
  main: ClaimAction | null;
  /** Further choices in the order they are offered; shown only while the server allows them. */
  others: readonly ClaimAction[];
}

const WAIT = { main: null, others: [] } as const;

/** What each of the twenty states shows. The texts live in the dictionary under `state.<state>`. */
export const PRESENTATIONS: Readonly<Record<ClaimState, Presentation>> = {
  created: {
    step: 'review',
    track: 'exchange',
    station: 0,
    tone: 'act',
    stationLabel: 'review',
    main: 'confirm',
    others: ['cancel'],
  },
  verification: {
    step: 'verification',
    track: 'exchange',
    station: 0,
    tone: 'wait',
    stationLabel: 'verification',
    main: 'upload',
    others: ['cancel'],
  },
  awaiting_payment: {
    step: 'pay',
    track: 'exchange',
    station: 0,
    tone: 'act',
    main: 'paid',
    others: ['upload', 'cancel'],
  },
  payment_claimed: { step: 'progress', track: 'exchange', station: 1, tone: 'wait', main: null, others: ['upload'] },
  payment_seen: { step: 'confirmations', track: 'exchange', station: 1, tone: 'wait', main: null, others: ['upload'] },
  amount_mismatch: {
    step: 'choice',
    track: 'exchange',
    station: 1,
    tone: 'act',
    stationLabel: 'choice',
    main: 'accept',
    others: ['upload', 'refund'],
  },
  late_payment: {
    step: 'choice',
    track: 'exchange',
    station: 1,
    tone: 'act',
    stationLabel: 'choice',
    main: 'accept',
    others: ['refund'],
  },
  on_hold: {
    step: 'hold',
    track: 'exchange',
    station: 1,
    tone: 'stop',
    stationLabel: 'stopped',
    main: 'upload',
    others: ['refund'],
  },
  paid: { step: 'progress', track: 'exchange', station: 2, tone: 'wait', ...WAIT },
  processing: { step: 'progress', track: 'exchange', station: 2, tone: 'wait', ...WAIT },
  payout_sent: { step: 'progress', track: 'exchange', station: 3, tone: 'wait', ...WAIT },
  payout_error: { step: 'progress', track: 'exchange', station: 3, tone: 'wait', ...WAIT },
  payout_partial: { step: 'progress', track: 'exchange', station: 3, tone: 'wait', ...WAIT },
  refund_pending: { step: 'progress', track: 'refund', station: 2, tone: 'wait', ...WAIT },
  refund_sent: { step: 'progress', track: 'refund', station: 3, tone: 'wait', ...WAIT },
  completed: { step: 'success', track: 'exchange', station: 4, tone: 'done', ...WAIT },
  refunded: { step: 'fail', track: 'refund', station: 4, tone: 'done', ...WAIT },
  cancelled: { step: 'fail', track: 'exchange', station: 0, tone: 'stop', stationLabel: 'cancelled', ...WAIT },
  expired: { step: 'fail', track: 'exchange', station: 0, tone: 'stop', stationLabel: 'expired', ...WAIT },
  rejected: { step: 'fail', track: 'exchange', station: 1, tone: 'stop', stationLabel: 'rejected', ...WAIT },
};

const TRACKS: Readonly<Record<Track, readonly StationKey[]>> = {
  exchange: ['payment', 'arrival', 'exchange', 'payout', 'done'],
  refund: ['payment', 'arrival', 'refund', 'returning', 'returned'],
};

export interface StationMark {
  /** Its name is in the dictionary under `stations`. */
  key: StationKey;
  mark: 'done' | 'act' | 'wait' | 'stop' | 'ahead';
}

/** The five stations of the journey with their marks, for a claim in this state; the present one is the customer's turn where they are asked. */
export function stationsOf(state: ClaimState, sentKind: CurrencyKind, isAsked = false): StationMark[] {
  const { track, station, tone, stationLabel } = PRESENTATIONS[state];
  return TRACKS[track].map((name, index) => {
    const key = name === 'arrival' && sentKind === 'crypto' ? 'confirmations' : name;
    if (index < station) return { key, mark: 'done' };
    if (index > station) return { key, mark: 'ahead' };
    return { key: stationLabel ?? key, mark: isAsked ? 'act' : tone };
  });
}

/** The page a final state belongs to; null while the claim is still under way. */
export function finalPageOf(state: ClaimState): 'success' | 'fail' | null {
  const { step } = PRESENTATIONS[state];
  return step === 'success' || step === 'fail' ? step : null;
}

/** Whether nothing can happen to the claim any more. Money may still arrive for an expired, cancelled or rejected one. */
export function isSettled(state: ClaimState): boolean {
  return state === 'completed' || state === 'refunded';
}
