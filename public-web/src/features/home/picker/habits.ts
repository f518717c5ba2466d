import { readStored, writeStored } from '../../../browserStorage';

const KEY = 'agio.currencies';

/** More recent currencies than these push the others off the screen. */
const MOST_RECENT = 4;

/** The currencies that a visitor marked or chose lately, by their codes, the latest first. */
export interface Habits {
  favourite: string[];
  recent: string[];
}

export function readHabits(): Habits {
  const listOf = (list: unknown) => (Array.isArray(list) ? list.filter((code) => typeof code === 'string') : []);
  const stored = readStored('localStorage', KEY) as Partial<Habits> | null;
  return { favourite: listOf(stored?.favourite), recent: listOf(stored?.recent) };
}

function save(habits: Habits): Habits {
  writeStored('localStorage', KEY, habits);
  return habits;
}

export function noteChoice(code: string): void {
  const habits = readHabits();
  save({ ...habits, recent: [code, ...habits.recent.filter((other) => other !== code)].slice(0, MOST_RECENT * 2) });
}

/** Marks a currency, or removes its mark. */
export function toggleFavourite(code: string): Habits {
  const habits = readHabits();
  const others = habits.favourite.filter((other) => other !== code);
  return save({ ...habits, favourite: others.length < habits.favourite.length ? others : [code, ...others] });
}

/** The group of a currency before its own kind. */
export function habitOf(code: string, { favourite, recent }: Habits): 'favourite' | 'recent' | null {
  if (favourite.includes(code)) return 'favourite';
  return recent
    .filter((other) => !favourite.includes(other))
    .slice(0, MOST_RECENT)
    .includes(code)
    ? 'recent'
    : null;
}
