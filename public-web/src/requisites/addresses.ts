import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base32nopad, base58, base58xrp, base64url, bech32, bech32m, hex } from '@scure/base';
import { crc16 } from './numbers';
import { GOOD, refuse, VERIFIED, type Verdict } from './verdict';

interface Coin {
  /** Version bytes of payable addresses, as hex. */
  versions: string[];
  testVersions: string[];
  bech32?: string;
  testBech32?: string[];
}

const COINS = {
  btc: { versions: ['00', '05'], testVersions: ['6f', 'c4'], bech32: 'bc', testBech32: ['tb', 'bcrt'] },
  ltc: { versions: ['30', '32', '05'], testVersions: ['6f', '3a', 'c4'], bech32: 'ltc', testBech32: ['tltc', 'rltc'] },
  doge: { versions: ['1e', '16'], testVersions: ['71', 'c4'] },
  dash: { versions: ['4c', '10'], testVersions: ['8c', '13'] },
  zec: { versions: ['1cb8', '1cbd'], testVersions: ['1d25', '1cba'] },
  tron: { versions: ['41'], testVersions: ['a0'] },
  bch: { versions: ['00', '05'], testVersions: ['6f', 'c4'] },
  qtum: { versions: ['3a', '32'], testVersions: ['78', '6e'], bech32: 'qc', testBech32: ['tq', 'qcrt'] },
  xvg: { versions: ['1e', '21'], testVersions: ['73', 'c6'] },
  bsv: { versions: ['00'], testVersions: ['6f', 'c4'] },
  kmd: { versions: ['3c', '55'], testVersions: [] },
  btg: { versions: ['26', '17'], testVersions: ['6f', 'c4'], bech32: 'btg', testBech32: ['tbtg'] },
  rvn: { versions: ['3c', '7a'], testVersions: ['6f', 'c4'] },
  dgb: { versions: ['1e', '3f', '05'], testVersions: ['7e', '8c'], bech32: 'dgb', testBech32: ['dgbt', 'dgbrt'] },
  // The last one is of contracts, which the server refuses.
  xtz: { versions: ['06a19f', '06a1a1', '06a1a4', '06a1a6', '025a79'], testVersions: [] },
  neo: { versions: ['35'], testVersions: [] },
  ont: { versions: ['17'], testVersions: [] },
} satisfies Record<string, Coin>;

/** Kinds whose addresses are checked as those of Bitcoin. */
export type CoinKind = keyof typeof COINS;

/** Null where a decoder refuses the text. */
export function decoded(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Whether the last four bytes are the double SHA-256 of the rest. */
function hasChecksum(bytes: Uint8Array): boolean {
  const checksum = sha256(sha256(bytes.slice(0, -4))).slice(0, 4);
  return hex.encode(checksum) === hex.encode(bytes.slice(-4));
}

export const bech32Of = (text: string) => bech32.decodeUnsafe(text, false);
const bech32mOf = (text: string) => bech32m.decodeUnsafe(text, false);

/** Whether the text is a witness program: version, length, and the encoding that belongs to the version. */
function isWitnessProgram(text: string): boolean {
  const [version = 17, ...words] = (bech32Of(text) ?? bech32mOf(text))?.words ?? [];
  const length = Math.floor((words.length * 5) / 8);
  if (version === 0) return bech32Of(text) !== undefined && (length === 20 || length === 32);
  return version <= 16 && bech32mOf(text) !== undefined && length >= 2 && length <= 40;
}

/** Addresses of Bitcoin and coins like it: base58 with a checksum, or a witness program. */
export function checkCoin(kind: CoinKind, value: string): Verdict {
  const coin: Coin = COINS[kind];
  const lower = value.toLowerCase();
  if (coin.bech32 && lower.startsWith(`${coin.bech32}1`)) {
    return isWitnessProgram(value) ? VERIFIED : refuse('bad_checksum');
  }
  if (coin.testBech32?.some((prefix) => lower.startsWith(`${prefix}1`))) return refuse('testnet');
  const bytes = decoded(() => base58.decode(value));
  if (bytes === null) return refuse('bad_characters');
  if (value.length < 26 || value.length > 36) return refuse('bad_length');
  if (!hasChecksum(bytes)) return refuse('bad_checksum');
  const text = hex.encode(bytes);
  const isAny = (versions: string[]) => versions.some((version) => text.startsWith(version));
  if (isAny(coin.testVersions)) return refuse('testnet');
  return isAny(coin.versions) ? VERIFIED : refuse('wrong_network');
}

const CASH_ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** Whether the 40-bit checksum of a CashAddr or a Kaspa address (without its prefix) is right. */
function hasCashChecksum(prefix: string, text: string): boolean {
  const ofPrefix = [...prefix].map((character) => character.charCodeAt(0) & 31);
  const values = [...ofPrefix, 0, ...[...text].map((character) => CASH_ALPHABET.indexOf(character))];
  if (values.includes(-1)) return false;
  const sum = values.reduce((sum, value) => {
    const shifted = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    return CASH_GENERATORS.reduce((all, one, bit) => ((sum >> BigInt(35 + bit)) & 1n ? all ^ one : all), shifted);
  }, 1n);
  return sum === 1n;
}

export function checkBitcoinCash(value: string): Verdict {
  const lower = value.toLowerCase();
  if (/^(bchtest|bchreg):/.test(lower)) return refuse('testnet');
  const bare = lower.replace(/^bitcoincash:/, '');
  if (/^[qp]/.test(bare) && bare.length >= 42) {
    return hasCashChecksum('bitcoincash', bare) ? VERIFIED : refuse('bad_checksum');
  }
  return checkCoin('bch', value);
}

export function checkKaspa(value: string): Verdict {
  const lower = value.toLowerCase();
  if (/^kaspa(test|dev|sim):/.test(lower)) return refuse('testnet');
  const bare = lower.replace(/^kaspa:/, '');
  if (!/^[a-z0-9]*$/.test(bare)) return refuse('bad_characters');
  if (bare.length < 61 || bare.length > 63) return refuse('bad_length');
  return hasCashChecksum('kaspa', bare) ? VERIFIED : refuse('bad_checksum');
}

/** Ethereum and networks like it: mixed case carries a checksum (EIP-55), one case carries none. */
export function checkEvm(value: string): Verdict {
  if (/^[0-9a-f]{40}$/i.test(value)) return refuse('missing_prefix');
  if (!/^0x[0-9a-f]*$/i.test(value)) return refuse('bad_characters');
  const body = value.slice(2);
  if (body.length !== 40) return refuse('bad_length');
  const lower = body.toLowerCase();
  if (body === lower || body === body.toUpperCase()) return GOOD;
  const hash = hex.encode(keccak_256(new TextEncoder().encode(lower)));
  const checksummed = [...lower].map((digit, index) => ((hash[index] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return body === checksummed.join('') ? VERIFIED : refuse('bad_checksum');
}

export function checkRipple(value: string): Verdict {
  // An X-address contains its tag; its form is left to the server.
  if (/^[XT]/.test(value)) return GOOD;
  const bytes = decoded(() => base58xrp.decode(value));
  if (bytes === null || !value.startsWith('r')) return refuse('bad_characters');
  return hasChecksum(bytes) ? VERIFIED : refuse('bad_checksum');
}

export function checkTon(value: string): Verdict {
  if (/^-?\d:[0-9a-f]{64}$/i.test(value)) return GOOD;
  if (!/^[\w+/-]*$/.test(value)) return refuse('bad_characters');
  if (value.length !== 48) return refuse('bad_length');
  const bytes = base64url.decode(value.replaceAll('+', '-').replaceAll('/', '_'));
  const [flags = 0, high = 0, low = 0] = [bytes[0], bytes[34], bytes[35]];
  if (crc16(bytes.slice(0, 34)) !== ((high << 8) | low)) return refuse('bad_checksum');
  return flags & 0x80 ? refuse('testnet') : VERIFIED;
}

export function checkStellar(value: string): Verdict {
  if (/^M[A-Z2-7]{68}$/.test(value)) return GOOD;
  if (!/^[A-Z2-7]*$/.test(value)) return refuse('bad_characters');
  if (value.length !== 56) return refuse('bad_length');
  const bytes = base32nopad.decode(value);
  const [low = 0, high = 0] = bytes.slice(33);
  return crc16(bytes.slice(0, 33)) === ((high << 8) | low) ? VERIFIED : refuse('bad_checksum');
}

/** A Solana address is 32 bytes in base58 without a checksum. */
export function checkSolana(value: string): Verdict {
  const bytes = decoded(() => base58.decode(value));
  if (bytes === null) return refuse('bad_characters');
  return bytes.length === 32 ? GOOD : refuse('bad_length');
}

export function checkCardano(value: string): Verdict {
  const lower = value.toLowerCase();
  if (lower.startsWith('addr_test1')) return refuse('testnet');
  // Byron addresses have other forms, which the server knows.
  if (!lower.startsWith('addr1')) return GOOD;
  return (bech32Of(value) ?? bech32mOf(value)) ? VERIFIED : refuse('bad_checksum');
}

/** The checksum of Monero is left to the server. */
export function checkMonero(value: string): Verdict {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(value)) return refuse('bad_characters');
  if (value.length !== 95 && value.length !== 106) return refuse('bad_length');
  return /^[48]/.test(value) ? GOOD : refuse('testnet');
}
