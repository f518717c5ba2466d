/** Luhn: every second digit from the right doubled, the sum a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 ? 2 : 1);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0;
}

/** The remainder of a long decimal number by 97. */
function by97(digits: string): number {
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}

/** The check of an IBAN without spaces, in capitals. */
export function passesIban(iban: string): boolean {
  const turned = iban.slice(4) + iban.slice(0, 4);
  const digits = [...turned].map((character) => Number.parseInt(character, 36)).join('');
  return by97(digits) === 1;
}

const ACCOUNT_WEIGHTS = [7, 1, 3];

/** The check of a Russian account against the bank's BIC. */
export function passesRussianAccount(account: string, bic: string): boolean {
  const digits = bic.slice(-3) + account;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (((ACCOUNT_WEIGHTS[index % 3] ?? 0) * Number(digit)) % 10),
    0,
  );
  return sum % 10 === 0;
}

/** CRC-16/XMODEM, the check of TON and Stellar addresses. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc;
}
