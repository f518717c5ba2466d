import type { Currency } from '@agio/client/admin';
import { useMemo } from 'react';
import { useGetList } from 'react-admin';
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

/** What stands beside a sum, by the code of its currency. */
export function useUnits(): Map<string, string> {
  const { data } = useGetList<Currency>('currencies');
  return useMemo(() => new Map(data?.map((currency) => [currency.code, unitOf(currency)])), [data]);
}
