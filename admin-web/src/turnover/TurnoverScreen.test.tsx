// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { saveFile } from '../ui/saveFile.ts';
import TurnoverScreen from './TurnoverScreen.tsx';

vi.mock('../ui/saveFile.ts', () => ({ saveFile: vi.fn() }));

const server = fakeServer();
const month = { from: '2024-03-01', to: '2024-03-31', timeZone: 'Europe/Moscow' };
const direction = { from: 'BTC', to: 'SBERRUB', claims: 2, given: '0.04', received: '251000.5', spread: '-1200.5' };
const total = {
  currency: 'SBERRUB',
  given: '0',
  received: '251000.5',
  spread: '-1200.5',
  fees: '20',
  income: '-1180.5',
};

const open = async (directions: object[], currencies: object[]) => {
  server.current.on('GET /currencies', () => ({ body: [] }));
  server.current.on('GET /turnover', () => ({ body: { ...month, directions, currencies } }));
  server.current.on('GET /turnover/csv', () => ({ body: 'table' }));
  await show(<TurnoverScreen />, { permissions: ['claims.read'] });
};
const full = () => open([{ ...direction, giveFee: '0.0002', receiveFee: '20' }], [total]);

it('shows what was exchanged in each direction and the income of each currency', async () => {
  await full();
  const row = (await screen.findByText('BTC → SBERRUB')).closest('tr');
  const texts = within(row as HTMLElement)
    .getAllByRole('cell')
    .map((cell) => cell.textContent?.replace(/\s/g, ' '));
  expect(texts).toEqual([
    'BTC → SBERRUB',
    '2',
    '0.04 BTC',
    '251,000.5 SBERRUB',
    '−1,200.5 SBERRUB',
    '0.0002 BTC20 SBERRUB',
  ]);
  const totals = within(screen.getByRole('region', { name: 'Totals' }));
  expect(totals.getByText('SBERRUB').closest('tr')?.textContent).toContain('−1,180.5');
  expect(screen.getByText(/Europe\/Moscow/)).toBeTruthy();
});

it('asks for the chosen days and saves the same', async () => {
  await full();
  await screen.findByText('BTC → SBERRUB');
  const first = screen.getByLabelText('From') as HTMLInputElement;
  expect(first.value).toBe('2024-03-01');
  fireEvent.change(first, { target: { value: '2024-03-28' } });
  const chosen = { from: '2024-03-28', to: '2024-03-31' };
  await waitFor(() => expect(server.current.of('GET /turnover').at(-1)?.query).toEqual(chosen));
  await screen.findByText('BTC → SBERRUB');
  fireEvent.click(screen.getByRole('button', { name: 'Download CSV' }));
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith('2024-03-28--2024-03-31.csv', expect.anything()));
  expect(server.current.of('GET /turnover/csv').at(-1)?.query).toEqual(chosen);
});

it('says so where nothing was exchanged', async () => {
  await open([], []);
  expect(await screen.findByText('Nothing was exchanged in these days')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Download CSV' })).toHaveProperty('disabled', true);
  expect(screen.queryByRole('region', { name: 'Totals' })).toBeNull();
});

it('says which day is wrong', async () => {
  await full();
  await screen.findByText('BTC → SBERRUB');
  const errors = { to: [{ code: 'period_too_long', message: 'Choose 366 days at most.' }] };
  server.current.on('GET /turnover', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2020-03-28' } });
  expect(await screen.findByText('Choose 366 days at most.')).toBeTruthy();
  expect((screen.getByLabelText('To') as HTMLInputElement).value).toBe('2024-03-31');
});
