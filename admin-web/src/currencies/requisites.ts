import type { Schema } from '@agio/client/admin';

export type InputField = Schema<'CurrencyInputField'>;
export type RequisiteKind = Schema<'RequisiteKind'>;

/** How a field of each kind is named in the API unless the owner names it otherwise. */
const NAMES: Record<RequisiteKind, string> = {
  btc: 'address',
  ltc: 'address',
  doge: 'address',
  bch: 'address',
  dash: 'address',
  zec: 'address',
  evm: 'address',
  tron: 'address',
  ton: 'address',
  xmr: 'address',
  xrp: 'address',
  xlm: 'address',
  sol: 'address',
  ada: 'address',
  qtum: 'address',
  xvg: 'address',
  bsv: 'address',
  kmd: 'address',
  btg: 'address',
  rvn: 'address',
  dgb: 'address',
  dot: 'address',
  atom: 'address',
  xtz: 'address',
  algo: 'address',
  eos: 'address',
  xem: 'address',
  neo: 'address',
  ont: 'address',
  waves: 'address',
  icx: 'address',
  near: 'address',
  sui: 'address',
  apt: 'address',
  hbar: 'address',
  fil: 'address',
  kas: 'address',
  iban: 'iban',
  card: 'card',
  phone: 'phone',
  account_ru: 'account',
  email: 'email',
  holder: 'holder',
  memo: 'memo',
  tag: 'tag',
  text: 'details',
};

export const REQUISITE_KINDS = Object.keys(NAMES) as RequisiteKind[];

/** Kinds of which any short text is valid, so that the owner can ask for a form. */
export const isFreeText = (kind: RequisiteKind) => kind === 'text' || kind === 'memo';

/** The usual name of a field of this kind, numbered where others have it already. */
export function nameOf(kind: RequisiteKind, others: InputField[]): string {
  const taken = new Set(others.map(({ name }) => name));
  const name = NAMES[kind];
  if (!taken.has(name)) return name;
  return [...others.keys()].map((at) => `${name}${at + 2}`).find((one) => !taken.has(one)) ?? name;
}

export const newInput = (others: InputField[]): InputField => ({
  name: nameOf('text', others),
  kind: 'text',
  label: { ru: '', en: '' },
  required: true,
  send: false,
  receive: true,
});
