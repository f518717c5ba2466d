/**
 * What the console's API sends and takes. Money, rates and percents are decimal strings; moments are RFC 3339 in UTC.
 */

export type Id = string;
/** A decimal number as text, with a full stop: never a JavaScript number. */
export type Decimal = string;
/** A moment, such as `2026-03-28T09:30:00Z`. */
export type Moment = string;
export type Language = 'ru' | 'en';
export type Texts = Record<Language, string>;

export type Staff = { id: Id; email: string; name: string; role: string; permissions: string[] };
export type StaffSession = { accessToken: string; expiresIn: number; user: Staff };

export type ClaimStatus =
  | 'created'
  | 'verification'
  | 'awaiting_payment'
  | 'payment_claimed'
  | 'payment_seen'
  | 'amount_mismatch'
  | 'late_payment'
  | 'on_hold'
  | 'paid'
  | 'processing'
  | 'payout_sent'
  | 'payout_error'
  | 'payout_partial'
  | 'refund_pending'
  | 'refund_sent'
  | 'completed'
  | 'refunded'
  | 'cancelled'
  | 'expired'
  | 'rejected';

export type ClaimGroup = 'open' | 'ours' | 'customer' | 'network' | 'disputed' | 'refunds' | 'closed';
/** Whose move it is: the house's, the customer's, the network's, nobody's because of trouble, or no one's any more. */
export type Turn = 'ours' | 'customer' | 'network' | 'trouble' | 'done';

export type Leg = { id: number; code: string; ticker: string; network: string; amount: Decimal };

export type ClaimRow = {
  id: Id;
  /** The short number for talk. */
  publicId: number;
  status: ClaimStatus;
  turn: Turn;
  /** How far along its five steps the claim is, from 1. */
  step: number;
  from: Leg;
  to: Leg;
  email: string;
  dueAt: Moment;
  createdAt: Moment;
  updatedAt: Moment;
  holder: { id: Id; name: string } | null;
  revision: number;
};

export type ClaimCounts = {
  open: number;
  ours: number;
  customer: number;
  network: number;
  disputed: number;
  refunds: number;
  closedToday: number;
};

export type ClaimPage = { items: ClaimRow[]; nextCursor: string | null; counts: ClaimCounts };
export type ClaimQuery = {
  group?: ClaimGroup;
  status?: ClaimStatus;
  q?: string;
  cursor?: string;
  size?: number;
  sort?: 'due' | 'created';
};

export type Requisite = { name: string; label: string; kind: string; value: string };
export type Receipt = {
  id: Id;
  name: string;
  size: number;
  type: string;
  createdAt: Moment;
  sha256: string;
  /** Number of another claim that carries the same file. */
  repeatOf: number | null;
};
export type ActorKind = 'customer' | 'operator' | 'timer' | 'system' | 'watcher';
export type TimelineEntry = {
  at: Moment;
  actor: { kind: ActorKind; name: string | null };
  /** An action, or `note`, `lock`, `unlock`, `terms`, `receipt`. */
  action: string;
  from: ClaimStatus | null;
  to: ClaimStatus | null;
  reason: string | null;
  note: string | null;
};
export type LedgerEntry = {
  at: Moment;
  batch: Id;
  debit: string;
  credit: string;
  currency: string;
  amount: Decimal;
  reason: string;
};

export type TransitionAction =
  | 'payment_seen'
  | 'payment_received'
  | 'take'
  | 'payout_sent'
  | 'complete'
  | 'payout_failed'
  | 'retry_payout'
  | 'payout_partial'
  | 'hold'
  | 'release_hold'
  | 'reject'
  | 'refund'
  | 'refund_sent'
  | 'refund_done'
  | 'refund_bounced'
  | 'late_payment'
  | 'amount_mismatch'
  | 'verify_accept'
  | 'verify_reject';
export type TransitionNeed = 'reason' | 'answerBy' | 'txId' | 'note' | 'amount';
export type Transition = {
  action: TransitionAction;
  to: ClaimStatus;
  needs: TransitionNeed[];
  danger: boolean;
  main: boolean;
};
export type TransitionInput = {
  action: TransitionAction;
  revision: number;
  reason?: string;
  answerBy?: Moment;
  txId?: string;
  amount?: Decimal;
  note?: string;
};

export type Fee = { fixed: Decimal; percent: Decimal };
export type Fees = { from: Fee; to: Fee };
export type Payment = {
  value: string;
  holder: string | null;
  memo: string | null;
  /** What is to come. */
  amount: Decimal;
  /** What has come so far. */
  received: Decimal;
  poolId: Id | null;
};
export type Claim = ClaimRow & {
  requisitesIn: Requisite[];
  requisitesOut: Requisite[];
  requisitesRefund: Requisite[];
  payment: Payment | null;
  receipts: Receipt[];
  course: Decimal;
  bonus: Decimal;
  fees: Fees;
  rate: { text: string; explanation: string; ratesOf: string | null };
  reason: { code: string; text: string } | null;
  answerBy: Moment | null;
  expiresAt: Moment | null;
  txIn: string | null;
  txOut: string | null;
  txRefund: string | null;
  timeline: TimelineEntry[];
  ledger: LedgerEntry[];
  transitions: Transition[];
};

export type CurrencyKind = 'crypto' | 'bank' | 'ewallet' | 'cash';
export type CurrencyInput = {
  name: string;
  kind: string;
  label: Texts;
  required: boolean;
  send: boolean;
  receive: boolean;
};
export type Currency = {
  id: number;
  code: string;
  ticker: string;
  name: Texts;
  network: string;
  kind: CurrencyKind;
  icon: string;
  scale: number;
  roundCalculator: number;
  send: boolean;
  receive: boolean;
  position: number;
  inputs: CurrencyInput[];
  reserve: Decimal;
  reserveFloor: Decimal;
  updatedAt: Moment;
  revision: number;
};
export type CurrencyPatch = Partial<
  Pick<Currency, 'name' | 'icon' | 'roundCalculator' | 'send' | 'receive' | 'position' | 'reserveFloor'>
> & { revision?: number };

export type Bounds = { min: Decimal | null; max: Decimal | null };
export type Notice = { title: string; message: string };
export type NoticeTexts = Record<Language, Notice>;
export type NoticePlace = 'general' | 'from' | 'to';
export type PairState = 'ok' | 'off' | 'stale' | 'no_rate' | 'no_reserve';
export type PairSource = 'manual' | 'market';
export type PairTerms = {
  enabled: boolean;
  source: PairSource;
  manualRate: Decimal | null;
  spreadPercent: Decimal;
  fees: { from: Fee; to: Fee };
  tiers: { min: Decimal; addPercent: Decimal }[];
  limits: { from: Bounds; to: Bounds };
  /** Minutes a course is held for an accepted claim. */
  hold: number;
  floating: boolean;
  notices: Record<NoticePlace, NoticeTexts | null>;
};
export type Pair = PairTerms & {
  id: number;
  fromId: number;
  toId: number;
  state: PairState;
  course: Decimal | null;
  marketRate: Decimal | null;
  ratesOf: string | null;
  path: string[];
  explanation: string | null;
  updatedAt: Moment;
  revision: number;
};
export type PairPatch = Partial<PairTerms> & { revision: number };
export type PairPreview = { course: Decimal | null; from: Bounds; to: Bounds; before: { course: Decimal | null } };
export type PairBulk = { ids: number[]; set: { enabled?: boolean; spreadPercent?: Decimal } };

export type Reserve = {
  currencyId: number;
  code: string;
  available: Decimal;
  held: Decimal;
  floor: Decimal;
  updatedAt: Moment | null;
};
export type MovementReason = 'deposit' | 'withdrawal' | 'correction';
export type Movement = {
  at: Moment;
  amount: Decimal;
  reason: string;
  note: string | null;
  actor: string | null;
  batch: Id;
};
export type MovementPage = { items: Movement[]; nextCursor: string | null };
export type MovementInput = { amount: Decimal; reason: MovementReason; note: string };

export type PoolRequisite = {
  id: Id;
  currencyId: number;
  value: string;
  holder: string | null;
  memo: string | null;
  enabled: boolean;
  dailyLimit: Decimal | null;
  takenToday: Decimal;
  lastUsedAt: Moment | null;
};
export type PoolRequisiteInput = Pick<
  PoolRequisite,
  'currencyId' | 'value' | 'holder' | 'memo' | 'enabled' | 'dailyLimit'
>;

export type Setting = {
  key: string;
  group: string;
  kind: 'bool' | 'text' | 'int' | 'moment';
  /** Every value travels as text: `true`, `20`, a moment, or words. */
  value: string;
  default: string;
  range: { min: number; max: number } | null;
  title: string;
  help: string;
  updatedAt: Moment | null;
  updatedBy: string | null;
};

export type TechnicalMode = { on: boolean; time: Moment | null };

export type RateSource = {
  source: string;
  observedAt: Moment | null;
  importedAt: Moment | null;
  count: number;
  fresh: boolean;
};
export type Observation = {
  source: string;
  base: string;
  quote: string;
  bid: Decimal;
  ask: Decimal;
  observedAt: Moment;
};
export type Rates = { day: string | null; sources: RateSource[]; observations: Observation[] };

export type DashboardItem = {
  kind: 'claim' | 'reserve' | 'pair';
  id: string;
  publicId: number | null;
  /** The state of a claim or of a pair. */
  status: string | null;
  /** Codes of the currencies; a reserve has one. */
  from: string;
  to: string | null;
  available: Decimal | null;
  floor: Decimal | null;
  dueAt: Moment | null;
};
export type Dashboard = {
  claims: { ours: number; late: number; open: number };
  items: DashboardItem[];
  ledger: { clean: boolean; checkedAt: Moment | null; differences: string[] };
  tech: TechnicalMode;
};

/** One notice of the live stream: something changed, read it again. */
export type LiveNotice =
  | { event: 'all' }
  | { event: 'claim'; id: Id }
  | { event: 'reserve'; currencyId: number }
  | { event: 'market' }
  | { event: 'tech'; on: boolean };
