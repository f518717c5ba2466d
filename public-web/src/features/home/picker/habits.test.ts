// @vitest-environment happy-dom
import { habitOf, noteChoice, readHabits, toggleFavourite } from './habits';

beforeEach(() => localStorage.clear());

it('keeps the latest choices, each once, apart from favourites', () => {
  for (const code of ['A', 'B', 'C', 'D', 'E', 'A']) noteChoice(code);
  toggleFavourite('E');
  const habits = readHabits();
  expect(['A', 'E', 'D', 'C', 'B', 'Z'].map((code) => habitOf(code, habits))).toEqual([
    'recent',
    'favourite',
    'recent',
    'recent',
    'recent',
    null,
  ]);
  for (const code of ['F', 'G', 'H']) noteChoice(code);
  expect(habitOf('B', readHabits())).toBeNull();
});

it('removes a mark at the second press', () => {
  expect(toggleFavourite('A').favourite).toEqual(['A']);
  expect(toggleFavourite('A').favourite).toEqual([]);
});

it('is empty where the storage holds something else', () => {
  localStorage.setItem('agio.currencies', '{"favourite":[1,"A"],"recent":"A"}');
  expect(readHabits()).toEqual({ favourite: ['A'], recent: [] });
});
