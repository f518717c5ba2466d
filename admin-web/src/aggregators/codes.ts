import type { Schema } from '@agio/client/admin';

type Codes = Schema<'Aggregator'>['codes'];
type Currency = Schema<'CurrencyDetails'>;

/** Codes as they are typed: `SBERRUB = SBRF, USDTTRC20 = USDTTRC`. */
export function codesText(codes: Codes, currencies: Currency[]): string {
  const ours = (id: number) => currencies.find((currency) => currency.id === id)?.code ?? `#${id}`;
  return codes.map(({ currencyId, code }) => `${ours(currencyId)} = ${code}`).join(', ');
}

/** What was typed, or the first part of it that names no currency of ours or no code of theirs. */
export function readCodes(text: string, currencies: Currency[]): { codes: Codes } | { wrong: string } {
  const codes: Codes = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const [ours = '', theirs = '', ...more] = part.split('=').map((piece) => piece.trim().toUpperCase());
    const currency = currencies.find((one) => one.code === ours);
    if (!currency || theirs === '' || more.length > 0) return { wrong: part };
    codes.push({ currencyId: currency.id, code: theirs });
  }
  return { codes };
}
