/** The properties of `next` that differ from `now`; null when none do. */
export function changesOf<Terms extends object>(now: Terms, next: Terms): Partial<Terms> | null {
  const changed = (Object.keys(next) as (keyof Terms)[]).filter(
    (key) => JSON.stringify(next[key]) !== JSON.stringify(now[key]),
  );
  return changed.length === 0 ? null : (Object.fromEntries(changed.map((key) => [key, next[key]])) as Partial<Terms>);
}
