// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { ListState } from '../api/hooks.ts';
import { fakeServer, show } from '../testing/console.tsx';
import { DataTable } from './DataTable.tsx';

fakeServer();

type Coin = { code: string; amount: string };
const COINS: Coin[] = [
  { code: 'BTC', amount: '1' },
  { code: 'LTC', amount: '2' },
];

const state = (part: Partial<ListState<Coin>>): ListState<Coin> => ({
  rows: COINS,
  isPending: false,
  error: null,
  refetch: () => undefined,
  ...part,
});

const onOpen = vi.fn();
const remove = vi.fn();

const table = (list: ListState<Coin> | Coin[]) =>
  show(
    <DataTable
      list={list}
      empty={{ title: 'No coins', text: 'They come later.' }}
      rowKey={(coin) => coin.code}
      onOpen={onOpen}
      columns={[
        { head: 'Coin', opens: true, cell: (coin) => coin.code },
        { head: 'Amount', label: true, look: ['right'], cell: (coin) => coin.amount },
        false,
        {
          head: 'Remove',
          headHidden: true,
          cell: (coin) => (
            <button type="button" onClick={() => remove(coin.code)}>
              Remove {coin.code}
            </button>
          ),
        },
      ]}
    />,
  );

it('shows headings and rows, and names cells for phones', async () => {
  await table(COINS);
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Coin', 'Amount', 'Remove']);
  const row = screen.getByRole('row', { name: /LTC/ });
  expect(within(row).getByText('2').getAttribute('data-label')).toBe('Amount');
});

it('opens a row by its button and by a click on it, but not by other buttons within', async () => {
  onOpen.mockClear();
  await table(COINS);
  fireEvent.click(screen.getByRole('button', { name: 'BTC' }));
  expect(onOpen.mock.calls).toEqual([[COINS[0]]]);
  fireEvent.click(screen.getByText('2'));
  expect(onOpen.mock.calls).toEqual([[COINS[0]], [COINS[1]]]);
  fireEvent.click(screen.getByRole('button', { name: 'Remove LTC' }));
  expect(remove).toHaveBeenCalledWith('LTC');
  expect(onOpen).toHaveBeenCalledTimes(2);
});

it('says that it loads, that there is nothing, and that it failed', async () => {
  const { unmount } = await table(state({ isPending: true, rows: [] }));
  expect(screen.getByRole('status').textContent).toContain('Loading');
  unmount();
  const empty = await table(state({ rows: [] }));
  expect(screen.getByText('No coins')).toBeTruthy();
  empty.unmount();
  const refetch = vi.fn();
  await table(state({ rows: [], error: new Error('x'), refetch }));
  fireEvent.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Try again' }));
  expect(refetch).toHaveBeenCalledOnce();
});

it('loads more where there is more', async () => {
  const load = vi.fn();
  await table(state({ more: { isLoading: false, load } }));
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(load).toHaveBeenCalledOnce();
});
