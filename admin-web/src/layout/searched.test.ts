import { expect, it } from 'vitest';
import { searchedIn } from './searched.ts';

const id = '1674c20c-c369-416a-9c12-581fc396eb9b';
const hash = '9f2c'.repeat(16);

it.each([
  [`https://exchange.example/claim/${id}`, id],
  [`https://exchange.example/en/claim/${id}/`, id],
  [`https://exchange.example/claim/success?id=${id}`, id],
  [`https://tronscan.org/#/transaction/${hash}`, hash],
  [`https://etherscan.io/tx/0x${hash}#eventlog`, `0x${hash}`],
])('finds the claim or the transaction in the link %s', (link, found) => {
  expect(searchedIn(link)).toBe(found);
});

it.each(['100001', 'anna@example.org', '2202 2012 3456 7895', 'https://exchange.example', 'https://exchange.example/'])(
  'looks for other text as it is: %s',
  (text) => {
    expect(searchedIn(text)).toBe(text);
  },
);
