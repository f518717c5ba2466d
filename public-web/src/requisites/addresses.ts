import { decodeBase58, hasCheck } from './base58';
import { decodeBech32, isCashAddress, isWitnessProgram } from './bech32';
import { keccak256 } from './keccak';
import { crc16 } from './numbers';
import { GOOD, refuse, VERIFIED, type Verdict } from './verdict';

interface Coin {
  /** Version bytes of payable addresses, as hex. */
  versions: string[];
  testVersions: string[];
  bech32?: string;
  testBech32?: string[];
}

const COINS: Record<'btc' | 'ltc' | 'doge' | 'dash' | 'zec' | 'tron' | 'bch', Coin> = {
  btc: { versions: ['00', '05'], testVersions: ['6f', 'c4'], bech32: 'bc', testBech32: ['tb', 'bcrt'] },
  ltc: { versions: ['30', '32', '05'], testVersions: ['6f', '3a', 'c4'], bech32: 'ltc', testBech32: ['tltc', 'rltc'] },
  doge: { versions: ['1e', '16'], testVersions: ['71', 'c4'] },
  dash: { versions: ['4c', '10'], testVersions: ['8c', '13'] },
  zec: { versions: ['1cb8', '1cbd'], testVersions: ['1d25', '1cba'] },
  tron: { versions: ['41'], testVersions: ['a0'] },
  bch: { versions: ['00', '05'], testVersions: ['6f', 'c4'] },
};

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Addresses of Bitcoin and its kin: base58 with a check, or a witness program. */
export async function checkCoin(kind: keyof typeof COINS, value: string): Promise<Verdict> {
  const coin = COINS[kind];
  const lower = value.toLowerCase();
  if (coin.bech32 && lower.startsWith(`${coin.bech32}1`)) {
    const decoded = decodeBech32(value);
    return decoded && isWitnessProgram(decoded) ? VERIFIED : refuse('bad_checksum');
  }
  if (coin.testBech32?.some((prefix) => lower.startsWith(`${prefix}1`))) {
    return refuse('testnet');
  }
  const bytes = decodeBase58(value);
  if (bytes === null) {
    return refuse('bad_characters');
  }
  if (value.length < 26 || value.length > 36) {
    return refuse('bad_length');
  }
  const right = await hasCheck(bytes);
  if (right === false) {
    return refuse('bad_checksum');
  }
  const version = hex(bytes.slice(0, kind === 'zec' ? 2 : 1));
  if (coin.testVersions.includes(version)) {
    return refuse('testnet');
  }
  if (!coin.versions.includes(version)) {
    return refuse('wrong_network');
  }
  return right ? VERIFIED : GOOD;
}

export async function checkBitcoinCash(value: string): Promise<Verdict> {
  const lower = value.toLowerCase();
  if (/^(bchtest|bchreg):/.test(lower)) {
    return refuse('testnet');
  }
  const bare = lower.replace(/^bitcoincash:/, '');
  if (/^[qp]/.test(bare) && bare.length >= 42) {
    return isCashAddress(bare) ? VERIFIED : refuse('bad_checksum');
  }
  return checkCoin('bch', value);
}

/** Ethereum and its kin: mixed case carries a checksum (EIP-55), one case carries none. */
export function checkEvm(value: string): Verdict {
  if (/^[0-9a-f]{40}$/i.test(value)) {
    return refuse('missing_prefix');
  }
  if (!/^0x/i.test(value)) {
    return refuse('bad_characters');
  }
  const body = value.slice(2);
  if (!/^[0-9a-f]*$/i.test(body)) {
    return refuse('bad_characters');
  }
  if (body.length !== 40) {
    return refuse('bad_length');
  }
  if (body === body.toLowerCase() || body === body.toUpperCase()) {
    return GOOD;
  }
  const hash = keccak256(body.toLowerCase());
  const right = [...body].every((character, index) => {
    const raised = Number.parseInt(hash[index] ?? '0', 16) >= 8;
    return /\d/.test(character) || (character === character.toUpperCase()) === raised;
  });
  return right ? VERIFIED : refuse('bad_checksum');
}

export async function checkRipple(value: string): Promise<Verdict> {
  // An X-address carries its tag inside; its form is left to the server.
  if (/^[XT]/.test(value)) {
    return GOOD;
  }
  const bytes = decodeBase58(value, true);
  if (bytes === null || !value.startsWith('r')) {
    return refuse('bad_characters');
  }
  const right = await hasCheck(bytes);
  return right === false ? refuse('bad_checksum') : { refusal: null, verified: right === true };
}

export function checkTon(value: string): Verdict {
  if (/^-?\d:[0-9a-f]{64}$/i.test(value)) {
    return GOOD;
  }
  if (!/^[\w+/-]*$/.test(value)) {
    return refuse('bad_characters');
  }
  if (value.length !== 48) {
    return refuse('bad_length');
  }
  const binary = atob(value.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const check = ((bytes[34] ?? 0) << 8) | (bytes[35] ?? 0);
  if (crc16(bytes.slice(0, 34)) !== check) {
    return refuse('bad_checksum');
  }
  return (bytes[0] ?? 0) & 0x80 ? refuse('testnet') : VERIFIED;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function checkStellar(value: string): Verdict {
  if (/^M[A-Z2-7]{68}$/.test(value)) {
    return GOOD;
  }
  if (!/^[A-Z2-7]*$/.test(value)) {
    return refuse('bad_characters');
  }
  if (value.length !== 56) {
    return refuse('bad_length');
  }
  let bits = 0n;
  for (const character of value) {
    bits = (bits << 5n) | BigInt(BASE32.indexOf(character));
  }
  const bytes = Uint8Array.from({ length: 35 }, (_, i) => Number((bits >> BigInt(8 * (34 - i))) & 255n));
  const check = (bytes[33] ?? 0) | ((bytes[34] ?? 0) << 8);
  return crc16(bytes.slice(0, 33)) === check ? VERIFIED : refuse('bad_checksum');
}

/** A Solana address is 32 bytes in base58: a slip in it can't be seen. */
export function checkSolana(value: string): Verdict {
  const bytes = decodeBase58(value);
  if (bytes === null) {
    return refuse('bad_characters');
  }
  return bytes.length === 32 ? GOOD : refuse('bad_length');
}

export function checkCardano(value: string): Verdict {
  const lower = value.toLowerCase();
  if (lower.startsWith('addr_test1')) {
    return refuse('testnet');
  }
  if (!lower.startsWith('addr1')) {
    // Older addresses of the Byron time have other forms; the server knows them.
    return GOOD;
  }
  return decodeBech32(value) ? VERIFIED : refuse('bad_checksum');
}

/** Monero's checksum needs its own block coding; the page looks at the form and the server at the rest. */
export function checkMonero(value: string): Verdict {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(value)) {
    return refuse('bad_characters');
  }
  if (value.length !== 95 && value.length !== 106) {
    return refuse('bad_length');
  }
  return /^[48]/.test(value) ? GOOD : refuse('testnet');
}
