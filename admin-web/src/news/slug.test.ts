import { expect, it } from 'vitest';
import { slugOf } from './slug.ts';

it.each([
  ['New rates, today!', 'new-rates-today'],
  ['Café isn’t — open', 'cafe-isnt-open'],
  ['  ', ''],
  ['Новости', ''],
  [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
])('%j has the address %j', (heading, slug) => {
  expect(slugOf(heading)).toBe(slug);
});
