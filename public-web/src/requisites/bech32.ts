const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32M = 0x2bc830a3;

function polymod(values: number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) {
        sum ^= generator;
      }
    });
  }
  return sum >>> 0;
}

export interface Bech32 {
  prefix: string;
  /** Groups of five bits, the checksum left out. */
  data: number[];
  form: 'bech32' | 'bech32m';
}

/** Decodes bech32 and bech32m; null when the text is neither or its checksum is wrong. */
export function decodeBech32(text: string): Bech32 | null {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    return null;
  }
  const lower = text.toLowerCase();
  const split = lower.lastIndexOf('1');
  const prefix = lower.slice(0, split);
  const values = [...lower.slice(split + 1)].map((character) => ALPHABET.indexOf(character));
  if (split < 1 || values.length < 6 || values.includes(-1)) {
    return null;
  }
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = polymod([...expanded, ...values]);
  if (sum !== 1 && sum !== BECH32M) {
    return null;
  }
  return { prefix, data: values.slice(0, -6), form: sum === 1 ? 'bech32' : 'bech32m' };
}

/** Whether a decoded text is a witness program: version, length, and the form that belongs to the version. */
export function isWitnessProgram({ data, form }: Bech32): boolean {
  const version = data[0];
  const bytes = Math.floor(((data.length - 1) * 5) / 8);
  if (version === undefined || version > 16 || bytes < 2 || bytes > 40) {
    return false;
  }
  return version === 0 ? form === 'bech32' && (bytes === 20 || bytes === 32) : form === 'bech32m';
}

const CASH_GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** Whether the checksum of a CashAddr (without its prefix) is right. */
export function isCashAddress(text: string): boolean {
  const values = [...text].map((character) => ALPHABET.indexOf(character));
  if (values.includes(-1)) {
    return false;
  }
  const prefix = [...'bitcoincash'].map((character) => character.charCodeAt(0) & 31);
  let sum = 1n;
  for (const value of [...prefix, 0, ...values]) {
    const top = sum >> 35n;
    sum = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    CASH_GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) {
        sum ^= generator;
      }
    });
  }
  return sum === 1n;
}
