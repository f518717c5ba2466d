const BITCOIN = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RIPPLE = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** Decodes base58; null when a character is not in the alphabet. */
export function decodeBase58(text: string, ripple = false): Uint8Array | null {
  const alphabet = ripple ? RIPPLE : BITCOIN;
  let value = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) {
      return null;
    }
    value = value * 58n + BigInt(digit);
  }
  const bytes: number[] = [];
  for (; value > 0n; value >>= 8n) {
    bytes.unshift(Number(value & 255n));
  }
  const first = alphabet[0];
  for (const character of text) {
    if (character !== first) {
      break;
    }
    bytes.unshift(0);
  }
  return Uint8Array.from(bytes);
}

/** Whether the last four bytes are the double SHA-256 of the rest; null where the browser can't compute it. */
export async function hasCheck(bytes: Uint8Array): Promise<boolean | null> {
  // Pages without TLS have no WebCrypto; the server checks again anyway.
  if (!globalThis.crypto?.subtle) {
    return null;
  }
  const body = bytes.slice(0, -4);
  const once = await crypto.subtle.digest('SHA-256', body);
  const twice = new Uint8Array(await crypto.subtle.digest('SHA-256', once));
  return bytes.slice(-4).every((byte, index) => byte === twice[index]);
}
