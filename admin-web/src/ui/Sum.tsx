import { useMemo } from 'react';
import { useCurrencies } from '../api/queries.ts';
import { Amount } from './Amount.tsx';
import { unitOf } from './format.ts';

/** A sum of money: the amount, and its currency as people name it, or its code before the currencies are known. */
export function Sum({ value, code }: { value: string; code: string }) {
  const units = useUnits();
  return (
    <>
      <Amount value={value} /> {units.get(code) ?? code}
    </>
  );
}

/** What stands beside a sum, by the code of its currency; a ticker, which the base currency is known by, stands for itself. */
export function useUnits(): Map<string, string> {
  const currencies = useCurrencies();
  return useMemo(
    () =>
      new Map([
        ...currencies.map(({ ticker }) => [ticker, ticker] as const),
        ...currencies.map((currency) => [currency.code, unitOf(currency)] as const),
      ]),
    [currencies],
  );
}
