import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Segments } from './Segments.tsx';

/** A choice in the address (`?tab=`), the first by default, and the control that changes it. */
export function useTab<Name extends string>(
  names: readonly [Name, ...Name[]],
  label: string,
  text: (name: Name) => string,
): [Name, ReactNode] {
  const [search, setSearch] = useSearchParams();
  const tab = names.find((name) => name === search.get('tab')) ?? names[0];
  const options = names.map((value) => ({ value, label: text(value) }));
  return [
    tab,
    <Segments key="tab" label={label} value={tab} options={options} onValue={(next) => setSearch({ tab: next })} />,
  ];
}
