/** Where a value lasts: in the browser, or as long as the tab. */
type Place = 'localStorage' | 'sessionStorage';

/** The object stored under a key; null without one, also where storage is blocked or holds something else. */
export function readStored(place: Place, key: string): unknown {
  try {
    const value: unknown = JSON.parse(globalThis[place].getItem(key) ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Stores an object, or removes it with null. Where storage is blocked, nothing is kept. */
export function writeStored(place: Place, key: string, value: object | null): void {
  try {
    if (value === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, JSON.stringify(value));
  } catch {
    // The page works without what it would remember.
  }
}
