/** A line of a text beside another: kept, taken out, or put in. */
export type Line = { kind: 'same' | 'removed' | 'added'; text: string };

/** How many kept lines are shown around a change. */
const AROUND = 2;

/** What differs between two texts, line by line: the longest run of common lines stays, the rest was taken out or put in. */
export function difference(before: string, after: string): Line[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push({ kind: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: now[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** For each pair of places, how many lines the rests of both texts have in common. */
function commonLengths(old: string[], now: string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [row, next] = [table[i] ?? [], table[i + 1] ?? []];
      row[j] = old[i] === now[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

/** The lines near a change; null marks the omitted ones between them. */
export function nearChanges(lines: Line[]): (Line | null)[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same');
  const shown: (Line | null)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}
