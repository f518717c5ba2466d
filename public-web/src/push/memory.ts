import { readStored, writeStored } from '../browserStorage';

const KEY = 'agio.push';

/** More claims than these nobody follows. */
const MOST = 20;

/** The ids of this browser's subscriptions by what they are to: the id of a claim, or `account`; the latest last. */
export function keptSubscriptions(): [string, string][] {
  const stored = readStored('localStorage', KEY);
  return Object.entries(stored ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

export function keepSubscription(name: string, id: string): void {
  save([...others(name), [name, id]]);
}

/** A claim that cannot be reopened is forgotten as well: its id opens it. */
export function forgetSubscription(name: string): void {
  save(others(name));
}

const others = (name: string) => keptSubscriptions().filter(([other]) => other !== name);

function save(entries: [string, string][]): void {
  writeStored('localStorage', KEY, entries.length > 0 ? Object.fromEntries(entries.slice(-MOST)) : null);
}
