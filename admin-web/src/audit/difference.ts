/** One part of a thing that changed, as it was and as it is since; null where it was not there. */
export type Part = { name: string; before: Value | null; after: Value | null };

/** What a part was: a plain text, or the items of a list. */
export type Value = string | unknown[];

/** What differs between two states, part by part. Parts inside of parts are named by their path. */
export function difference(before: unknown, after: unknown): Part[] {
  const [old, current] = [flat(before), flat(after)];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  const parts = names.map((name) => ({ name, before: old.get(name) ?? null, after: current.get(name) ?? null }));
  return parts.filter((part) => JSON.stringify(part.before) !== JSON.stringify(part.after));
}

function flat(given: unknown, path = '', found = new Map<string, Value>()): Map<string, Value> {
  const value = opened(given);
  if (value === null || value === undefined) return found;
  if (!holdsMore(value)) return found.set(path || 'value', plain(value));
  if (Array.isArray(value)) return found.set(path || 'value', value);
  for (const [name, inner] of Object.entries(value)) flat(inner, path ? `${path}.${name}` : name, found);
  return found;
}

/** The name of a part for readers, and the text of its plain value. */
export type Texts = { label: (name: string) => string; format: (name: string, value: string) => string };

/** An item of a list in one line: what it holds by name, and what that holds in brackets. */
export function lineOf(given: unknown, texts: Texts, name = ''): string {
  const value = opened(given);
  if (!holdsMore(value)) return texts.format(name, plain(value));
  const parts = Object.entries(value).map(([inner, held]) => {
    const line = lineOf(held, texts, inner);
    const text = holdsMore(opened(held)) ? `(${line})` : line;
    return Array.isArray(value) ? text : `${texts.label(inner)}: ${text}`;
  });
  return parts.join(', ');
}

const holdsMore = (value: unknown): value is object => Object.keys(Object(value)).length > 0 && plain(value) === '';

/** A plain value as text; what is empty, or no plain value, has none. */
const plain = (value: unknown): string => (typeof value === 'object' || value === undefined ? '' : String(value));

/** Some of what a thing holds is stored as JSON within a text. */
function opened(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
