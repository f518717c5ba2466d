/** One part of a thing that changed, as it was and as it is since; null where it was not there. */
export type Part = { name: string; before: string | null; after: string | null };

/** What differs between two states, part by part. Parts inside of parts are named by their path. */
export function difference(before: unknown, after: unknown): Part[] {
  const [was, is] = [flat(before), flat(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const parts = names.map((name) => ({ name, before: was.get(name) ?? null, after: is.get(name) ?? null }));
  return parts.filter((part) => part.before !== part.after);
}

function flat(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (value === null || value === undefined) return found;
  if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) flat(inner, path ? `${path}.${name}` : name, found);
    return found;
  }
  found.set(path || 'value', typeof value === 'object' ? JSON.stringify(value) : String(value));
  return found;
}
