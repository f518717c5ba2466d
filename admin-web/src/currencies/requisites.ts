import type { Schema } from '@agio/client/admin';
import { market } from '../i18n/en/market.ts';

export type InputField = Schema<'CurrencyInputField'>;
export type RequisiteKind = Schema<'RequisiteKind'>;

/** How a field of each kind is named in the API unless the owner names it otherwise; all others are addresses. */
const NAMES: Partial<Record<RequisiteKind, string>> = {
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

/** In the order of the dictionary, which names each. */
export const REQUISITE_KINDS = Object.keys(market.requisiteKinds) as RequisiteKind[];

/** Kinds of which any short text is valid, so that the owner can ask for a form. */
export const isFreeText = (kind: RequisiteKind) => kind === 'text' || kind === 'memo';

/** The usual name of a field of this kind, numbered where others have it already. */
export function nameOf(kind: RequisiteKind, others: InputField[]): string {
  const taken = new Set(others.map(({ name }) => name));
  const name = NAMES[kind] ?? 'address';
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
