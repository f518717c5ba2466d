import type { RequisiteKind } from '../api/types';

/** Why a value is refused; the server's codes. */
export type Refusal =
  | 'account_checksum'
  | 'bad_characters'
  | 'bad_checksum'
  | 'bad_email'
  | 'bad_length'
  | 'card_checksum'
  | 'foreign_digits'
  | 'iban_checksum'
  | 'look_alike_letters'
  | 'missing_prefix'
  | 'not_a_number'
  | 'out_of_range'
  | 'phone_country'
  | 'secret_key'
  | 'testnet'
  | 'unknown_card'
  | 'wrong_kind'
  | 'wrong_network';

export interface Verdict {
  refusal: Refusal | null;
  /** What the value is instead, where that is known. */
  other?: RequisiteKind;
  /** A checksum was verified: a typing error would have been found. */
  verified: boolean;
  /** A good value that was probably meant. */
  suggestion?: string;
}

export const GOOD: Verdict = { refusal: null, verified: false };
export const VERIFIED: Verdict = { refusal: null, verified: true };

export function refuse(refusal: Refusal, other?: RequisiteKind): Verdict {
  return { refusal, verified: false, ...(other && { other }) };
}
