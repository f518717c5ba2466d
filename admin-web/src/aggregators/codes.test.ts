import type { Schema } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { codesText, readCodes } from './codes.ts';

const currencies = [
  { id: 1, code: 'BTC' },
  { id: 13, code: 'SBERRUB' },
] as Schema<'CurrencyDetails'>[];

describe('codes of an aggregator', () => {
  it('are read as they are shown', () => {
    const codes = [
      { currencyId: 13, code: 'SBRF' },
      { currencyId: 1, code: 'XBT' },
    ];
    expect(codesText(codes, currencies)).toBe('SBERRUB = SBRF, BTC = XBT');
    expect(readCodes(' sberrub=sbrf ,, BTC = XBT', currencies)).toEqual({ codes });
  });

  it('name what cannot be read', () => {
    expect(readCodes('BTC = XBT, DOGE = D', currencies)).toEqual({ wrong: 'DOGE = D' });
    expect(readCodes('BTC', currencies)).toEqual({ wrong: 'BTC' });
    expect(readCodes('BTC = A = B', currencies)).toEqual({ wrong: 'BTC = A = B' });
  });
});
