import type { CaptchaChallenge } from '../api/types';

export interface Solution {
  counter: number;
  derivedKey: string;
  time: number;
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Finds the counter whose PBKDF2 key begins with the wanted prefix: the password is the nonce with the counter
 * after it, as four bytes, the highest first.
 */
export async function solve({ parameters }: CaptchaChallenge): Promise<Solution> {
  const started = performance.now();
  const hash = /SHA-\d+$/i.exec(parameters.algorithm)?.[0].toUpperCase() ?? 'SHA-256';
  const nonce = fromHex(parameters.nonce);
  const salt = fromHex(parameters.salt);
  const password = new Uint8Array(nonce.length + 4);
  password.set(nonce);
  const end = new DataView(password.buffer);
  for (let counter = 0; ; counter++) {
    end.setUint32(nonce.length, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const settings = { name: 'PBKDF2', hash, salt, iterations: parameters.cost };
    const bits = await crypto.subtle.deriveBits(settings, key, parameters.keyLength * 8);
    const derivedKey = toHex(new Uint8Array(bits));
    if (derivedKey.startsWith(parameters.keyPrefix.toLowerCase())) {
      return { counter, derivedKey, time: Math.round(performance.now() - started) };
    }
  }
}
