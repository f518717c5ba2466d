import { blake2b } from '@noble/hashes/blake2.js';
import { sha512_256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base32nopad, base58, hex } from '@scure/base';
import { bech32Of, decoded } from './addresses';
import { GOOD, refuse, VERIFIED, type Verdict } from './verdict';

const areEqual = (one: Uint8Array, other: Uint8Array) => hex.encode(one) === hex.encode(other);

/** SS58. Which prefixes are paid to, the server knows. */
export function checkPolkadot(value: string): Verdict {
  const bytes = decoded(() => base58.decode(value));
  if (bytes === null) return refuse('bad_characters');
  if (bytes.length !== 35 && bytes.length !== 36) return refuse('bad_length');
  const checksum = blake2b(concatBytes(utf8ToBytes('SS58PRE'), bytes.slice(0, -2)));
  if (!areEqual(checksum.slice(0, 2), bytes.slice(-2))) return refuse('bad_checksum');
  return bytes[0] === 0 ? VERIFIED : GOOD;
}

/** Prefixes other than `cosmos` are left to the server. */
export function checkCosmos(value: string): Verdict {
  if (!value.toLowerCase().startsWith('cosmos1')) return GOOD;
  return bech32Of(value) ? VERIFIED : refuse('bad_checksum');
}

export function checkAlgorand(value: string): Verdict {
  if (!/^[A-Z2-7]*$/.test(value)) return refuse('bad_characters');
  if (value.length !== 58) return refuse('bad_length');
  const bytes = decoded(() => base32nopad.decode(value));
  const isRight = bytes !== null && areEqual(sha512_256(bytes.slice(0, 32)).slice(-4), bytes.slice(32));
  return isRight ? VERIFIED : refuse('bad_checksum');
}

/** An account name of Vaulta, formerly EOS, has no checksum. */
export function checkEos(value: string): Verdict {
  if (value.length > 12) return refuse('bad_length');
  return /^[a-z1-5]([a-z1-5.]*[a-z1-5])?$/i.test(value) ? GOOD : refuse('bad_characters');
}

/** Wallets show the address of NEM with dashes. */
export function checkNem(value: string): Verdict {
  const address = value.replaceAll('-', '').toUpperCase();
  if (!/^[A-Z2-7]*$/.test(address)) return refuse('bad_characters');
  if (address.length !== 40) return refuse('bad_length');
  const bytes = base32nopad.decode(address);
  if (!areEqual(keccak_256(bytes.slice(0, 21)).slice(0, 4), bytes.slice(21))) return refuse('bad_checksum');
  return bytes[0] === 0x68 ? VERIFIED : refuse('testnet');
}

export function checkWaves(value: string): Verdict {
  const bytes = decoded(() => base58.decode(value));
  if (bytes === null) return refuse('bad_characters');
  if (bytes.length !== 26) return refuse('bad_length');
  const checksum = keccak_256(blake2b(bytes.slice(0, 22), { dkLen: 32 })).slice(0, 4);
  if (!areEqual(checksum, bytes.slice(22))) return refuse('bad_checksum');
  return bytes[1] === 0x57 ? VERIFIED : refuse('testnet');
}

/** Accounts of a prefix and hexadecimal digits, without a checksum. */
export function checkHexAccount(prefix: string, fewest: number, digits: number, value: string): Verdict {
  const lower = value.toLowerCase();
  if (prefix === '0x' && lower.length === digits && /^[0-9a-f]*$/.test(lower)) return refuse('missing_prefix');
  const body = lower.slice(prefix.length);
  if (!lower.startsWith(prefix) || !/^[0-9a-f]*$/.test(body)) return refuse('bad_characters');
  return body.length >= fewest && body.length <= digits ? GOOD : refuse('bad_length');
}

/** Contracts (`cx…`) are left to the server. */
export function checkIcon(value: string): Verdict {
  return /^cx/i.test(value) ? GOOD : checkHexAccount('hx', 40, 40, value);
}

/** A key in hexadecimal, or a name under one of the endings that wallets give out. */
export function checkNear(value: string): Verdict {
  const account = value.toLowerCase();
  if (account.length > 64) return refuse('bad_length');
  if (/^[0-9a-f]{64}$/.test(account)) return GOOD;
  if (!/^[a-z0-9]+([-_.][a-z0-9]+)*$/.test(account)) return refuse('bad_characters');
  if (account.endsWith('.testnet')) return refuse('testnet');
  return account.includes('.') ? GOOD : refuse('bad_length');
}

/** The checksum of HIP-15: five letters over the account (a dot counts ten) and the ledger. */
function hederaChecksum(account: string, ledger: number): string {
  const [three, five] = [26 ** 3, 26 ** 5];
  const digits = [...account].map((character) => (character === '.' ? 10 : Number(character)));
  const everySecond = (first: number) =>
    digits.reduce((sum, digit, index) => (index % 2 === first ? sum + digit : sum), 0) % 11;
  const weighted = digits.reduce((sum, digit) => (sum * 31 + digit) % three, 0);
  const ofLedger = (ledger * 31 ** 6) % five;
  const sum = (((digits.length % 5) * 11 + everySecond(0)) * 11 + everySecond(1)) * three + weighted + ofLedger;
  const number = ((sum % five) * 1_000_003) % five;
  const letter = (place: number) => String.fromCharCode(97 + (Math.floor(number / 26 ** place) % 26));
  return [4, 3, 2, 1, 0].map(letter).join('');
}

export function checkHedera(value: string): Verdict {
  const [, account, checksum] = /^((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2})(?:-(.*))?$/.exec(value) ?? [];
  if (account === undefined) return refuse('bad_characters');
  if (checksum === undefined) return GOOD;
  if (checksum.length !== 5) return refuse('bad_length');
  if ([1, 2].some((ledger) => hederaChecksum(account, ledger) === checksum)) return refuse('testnet');
  return hederaChecksum(account, 0) === checksum ? VERIFIED : refuse('bad_checksum');
}

/** Bytes that stand for the types of Filecoin addresses, and the length of the text after them. */
const FILECOIN_TYPES: Record<string, [covered: number[], length: number]> = {
  '1': [[1], 39],
  '3': [[3], 84],
  '410f': [[4, 10], 39],
};

/** Types that are not paid to are left to the server. */
export function checkFilecoin(value: string): Verdict {
  if (/^t[0-4]/.test(value)) return refuse('testnet');
  if (!/^f[0-4][a-z0-9]*$/.test(value)) return refuse('bad_characters');
  const [, type = '', payload = ''] = /^f(410f|1|3)(.*)$/.exec(value) ?? [];
  const known = FILECOIN_TYPES[type];
  if (!known) return GOOD;
  const [covered, length] = known;
  if (payload.length !== length) return refuse('bad_length');
  const bytes = decoded(() => base32nopad.decode(payload.toUpperCase()));
  if (bytes === null) return refuse('bad_checksum');
  const checksum = blake2b(concatBytes(Uint8Array.from(covered), bytes.slice(0, -4)), { dkLen: 4 });
  return areEqual(checksum, bytes.slice(-4)) ? VERIFIED : refuse('bad_checksum');
}
