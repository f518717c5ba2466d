/**
 * The live checks of requisites, which find typing errors in the field. They never refuse what the server accepts; the
 * server decides.
 */
import type { RequisiteKind } from '../api/types';
import { EMAIL } from '../forms/emails';
import { isNear } from '../typo';
import {
  checkAlgorand,
  checkCosmos,
  checkEos,
  checkFilecoin,
  checkHedera,
  checkHexAccount,
  checkIcon,
  checkNear,
  checkNem,
  checkPolkadot,
  checkWaves,
} from './accounts';
import {
  checkBitcoinCash,
  checkCardano,
  checkCoin,
  checkEvm,
  checkKaspa,
  checkMonero,
  checkRipple,
  checkSolana,
  checkStellar,
  checkTon,
} from './addresses';
import { checkMemo, checkTag } from './memo';
import { passesIban, passesLuhn, passesRussianAccount } from './numbers';
import { GOOD, refuse, VERIFIED, type Verdict } from './verdict';

export type { Refusal, Verdict } from './verdict';

const ADDRESSES: ReadonlySet<RequisiteKind> = new Set([
  ...(['btc', 'ltc', 'doge', 'bch', 'dash', 'zec', 'evm', 'tron', 'ton', 'xmr', 'xrp', 'xlm', 'sol', 'ada'] as const),
  ...(['qtum', 'xvg', 'bsv', 'kmd', 'btg', 'rvn', 'dgb', 'dot', 'atom', 'xtz', 'algo', 'eos', 'xem', 'neo'] as const),
  ...(['ont', 'waves', 'icx', 'near', 'sui', 'apt', 'hbar', 'fil', 'kas'] as const),
]);

const LATIN_ONLY: ReadonlySet<RequisiteKind> = new Set([...ADDRESSES, 'iban', 'email']);

/** The others are free text, or an email, which is never taken for something else. */
const TAKES_ONE_FORM: ReadonlySet<RequisiteKind> = new Set(
  [...LATIN_ONLY, 'card', 'phone', 'account_ru', 'tag'].filter((kind) => kind !== 'email') as RequisiteKind[],
);

/** Removes what pasting adds: spaces at the ends, invisible characters. */
export function cleanUp(value: string): string {
  return value.replace(/[\u200b-\u200f\u2060\ufeff]/g, '').trim();
}

/** Checks a value that is not empty. A memo is checked by the network of the address among the kinds beside it. */
export function checkRequisite(kind: RequisiteKind, typed: string, beside: RequisiteKind[] = []): Verdict {
  const value = cleanUp(typed);
  if (LATIN_ONLY.has(kind) && /[\u0400-\u04ff]/.test(value)) return refuse('look_alike_letters');
  if (/[\u0660-\u0669\u06f0-\u06f9]/.test(value)) return refuse('foreign_digits');
  const other = otherKind(kind, value);
  if (other) return refuse(other === 'card' || !LATIN_ONLY.has(kind) ? 'wrong_kind' : 'wrong_network', other);
  if (LATIN_ONLY.has(kind) && isSecret(value)) return refuse('secret_key');
  if (kind === 'memo') {
    return checkMemo(
      value,
      beside.find((other) => ADDRESSES.has(other)),
    );
  }
  return CHECKS[kind](value);
}

/** Values pasted into the wrong field, detected by their form. */
function otherKind(kind: RequisiteKind, value: string): RequisiteKind | null {
  const forms: [RequisiteKind, RegExp][] = [
    ['evm', /^0x[0-9a-f]{40}$/i],
    ['tron', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
    ['btc', /^bc1[a-z0-9]{20,}$/i],
    ['ltc', /^ltc1[a-z0-9]{20,}$/i],
    ['ada', /^addr1[a-z0-9]{40,}$/i],
    ['atom', /^cosmos1[a-z0-9]{38,}$/i],
    ['kas', /^kaspa:[a-z0-9]{61,}$/i],
  ];
  if (!TAKES_ONE_FORM.has(kind)) return null;
  const digits = value.replace(/[\s-]/g, '');
  if (LATIN_ONLY.has(kind) && /^[2-6]\d{15}$/.test(digits) && passesLuhn(digits)) return 'card';
  return forms.find(([name, form]) => name !== kind && form.test(value))?.[0] ?? null;
}

/** Private keys and recovery phrases, which must never leave their owner. */
function isSecret(value: string): boolean {
  const words = value.split(/\s+/);
  return (
    ((words.length === 12 || words.length === 24) && words.every((word) => /^[a-z]{3,8}$/.test(word))) ||
    /^[5KL][1-9A-HJ-NP-Za-km-z]{50,51}$/.test(value) ||
    /^S[A-Z2-7]{55}$/.test(value)
  );
}

const CHECKS: Record<Exclude<RequisiteKind, 'memo'>, (value: string) => Verdict> = {
  btc: (value) => checkCoin('btc', value),
  ltc: (value) => checkCoin('ltc', value),
  doge: (value) => checkCoin('doge', value),
  dash: (value) => checkCoin('dash', value),
  tron: (value) => checkCoin('tron', value),
  // Shielded addresses have other forms; the server knows which are paid to.
  zec: (value) => (value.startsWith('t') ? checkCoin('zec', value) : GOOD),
  bch: checkBitcoinCash,
  evm: checkEvm,
  xrp: checkRipple,
  ton: checkTon,
  xlm: checkStellar,
  sol: checkSolana,
  ada: checkCardano,
  xmr: checkMonero,
  qtum: (value) => checkCoin('qtum', value),
  xvg: (value) => checkCoin('xvg', value),
  bsv: (value) => checkCoin('bsv', value),
  kmd: (value) => checkCoin('kmd', value),
  btg: (value) => checkCoin('btg', value),
  rvn: (value) => checkCoin('rvn', value),
  dgb: (value) => checkCoin('dgb', value),
  dot: checkPolkadot,
  atom: checkCosmos,
  xtz: (value) => checkCoin('xtz', value),
  algo: checkAlgorand,
  eos: checkEos,
  xem: checkNem,
  neo: (value) => checkCoin('neo', value),
  ont: (value) => checkCoin('ont', value),
  waves: checkWaves,
  icx: checkIcon,
  near: checkNear,
  sui: (value) => checkHexAccount('0x', 64, 64, value),
  apt: (value) => checkHexAccount('0x', 61, 64, value),
  hbar: checkHedera,
  fil: checkFilecoin,
  kas: checkKaspa,
  card: (value) => checkCard(value.replace(/[\s\u00a0-]/g, '')),
  iban: (value) => checkIban(value.replace(/[\s\u00a0-]/g, '').toUpperCase()),
  phone: checkPhone,
  account_ru: checkAccount,
  email: checkEmail,
  tag: checkTag,
  holder: (value) => (/\d/.test(value) ? refuse('bad_characters') : GOOD),
  text: () => GOOD,
};

function checkCard(digits: string): Verdict {
  if (!/^\d*$/.test(digits)) return refuse('bad_characters');
  if (digits.length < 12 || digits.length > 19) return refuse('bad_length');
  if (/^[01]/.test(digits)) return refuse('unknown_card');
  return passesLuhn(digits) ? VERIFIED : refuse('card_checksum');
}

function checkIban(iban: string): Verdict {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]*$/.test(iban)) return refuse('bad_characters');
  if (iban.length < 15 || iban.length > 34) return refuse('bad_length');
  return passesIban(iban) ? VERIFIED : refuse('iban_checksum');
}

function checkPhone(value: string): Verdict {
  const bare = value.replace(/[\s\u00a0().\u2010-\u2015-]/g, '');
  if (!/^\+?\d*$/.test(bare)) return refuse('bad_characters');
  const digits = bare.replace('+', '');
  if (digits.length < 10 || digits.length > 15) return refuse('bad_length');
  return bare.startsWith('+') || digits.length > 10 ? GOOD : refuse('phone_country');
}

/** An account, alone or with the bank's BIC beside it, in any separation. */
function checkAccount(value: string): Verdict {
  if (/[^\d\s\u00a0/,;.-]/.test(value)) return refuse('bad_characters');
  const digits = value.replace(/\D/g, '');
  if (digits.length !== 20 && digits.length !== 29) return refuse('bad_length');
  const bic = digits.slice(20);
  if (!bic.startsWith('04')) return GOOD;
  return passesRussianAccount(digits.slice(0, 20), bic) ? VERIFIED : refuse('account_checksum');
}

/** Mailboxes of nearly everybody. */
const MAIL_DOMAINS = [
  ...['gmail.com', 'yandex.ru', 'mail.ru', 'icloud.com', 'outlook.com', 'hotmail.com', 'yahoo.com', 'rambler.ru'],
  ...['inbox.ru', 'list.ru', 'proton.me', 'protonmail.com', 'mail.com', 'email.com', 'ymail.com'],
];

function checkEmail(value: string): Verdict {
  if (!EMAIL.test(value)) return refuse('bad_email');
  const at = value.lastIndexOf('@') + 1;
  const domain = value.slice(at).toLowerCase();
  if (MAIL_DOMAINS.includes(domain)) return GOOD;
  const meant = MAIL_DOMAINS.find((known) => Math.abs(known.length - domain.length) < 2 && isNear(known, domain));
  return meant ? { ...GOOD, suggestion: value.slice(0, at) + meant } : GOOD;
}
