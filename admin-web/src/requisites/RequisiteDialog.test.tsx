// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import RequisitesScreen from './RequisitesScreen.tsx';

const server = fakeServer();
const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const requisite = {
  id: '7',
  currencyId: 1,
  value: ADDRESS,
  holder: null,
  memo: null,
  enabled: true,
  identification: 'none',
  priority: 100,
  weight: 1,
  minAmount: null,
  maxAmount: '0.3',
  dailyLimit: '0.5',
  monthlyLimit: null,
  dailyCount: 3,
  turnoverLimit: null,
  oneTime: false,
  coolingMinutes: 0,
  usedToday: '0.1',
  usedThisMonth: '0.1',
  usedTotal: '0.1',
  claimsToday: 3,
  claimsTotal: 3,
  lastUsedAt: null,
  unavailable: 'daily_count',
  availableAt: '2024-03-29T00:00:00Z',
};

beforeEach(() => {
  server.current.on('GET /requisites', () => ({ body: [requisite] }));
  server.current.on('GET /requisite-pools', () => ({
    body: [{ currencyId: 1, rotation: 'in_turn', enabled: 1, available: 0, maxAmount: '0' }],
  }));
  server.current.on('GET /currencies', () => ({ body: [{ id: 1, code: 'BTC', position: 1 }] }));
});

const start = () => show(<RequisitesScreen />, { permissions: ['requisites.read', 'reserves.requisites'] });

const open = async (button: string) => {
  await start();
  fireEvent.click(await screen.findByRole('button', { name: button }));
  return within(await screen.findByRole('dialog'));
};

const type = (dialog: ReturnType<typeof within>, label: string, value: string) =>
  fireEvent.change(dialog.getByLabelText(label), { target: { value } });

const chooseBitcoin = async (dialog: ReturnType<typeof within>) => {
  fireEvent.mouseDown(dialog.getByRole('combobox', { name: 'Currency' }));
  fireEvent.click(await screen.findByRole('option', { name: 'BTC' }));
};

it('adds payment details once, with the amounts as the API writes them', async () => {
  server.current.on('POST /requisites', () => ({ body: requisite }));
  const dialog = await open('Add payment details');
  const save = dialog.getByRole('button', { name: 'Save' });
  fireEvent.click(save);
  expect(dialog.getAllByText('Fill in this field.')).toHaveLength(2);
  await chooseBitcoin(dialog);
  type(dialog, 'Card, account or address', ` ${ADDRESS} `);
  type(dialog, 'Daily limit', '1,5');
  type(dialog, 'Claims in a day', '1.5');
  expect(save).toHaveProperty('disabled', true);
  type(dialog, 'Claims in a day', '4');
  fireEvent.click(dialog.getByRole('switch', { name: 'For one claim only' }));
  fireEvent.click(save);
  await waitFor(() => expect(server.current.of('POST /requisites')).toHaveLength(1));
  const [call] = server.current.of('POST /requisites');
  expect(call?.body).toEqual({
    currencyId: 1,
    value: ADDRESS,
    dailyLimit: '1.5',
    dailyCount: 4,
    oneTime: true,
    coolingMinutes: 0,
    identification: 'none',
  });
  expect(call?.key).toBeTruthy();
});

it('empties a field with null, and shows a refusal at its field', async () => {
  const errors = { value: [{ code: 'address_invalid', message: 'This is no address of the network.' }] };
  server.current.on('PATCH /requisites/7', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  const dialog = await open(`Change: ${ADDRESS}`);
  type(dialog, 'Daily limit', '');
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('This is no address of the network.')).toBeTruthy();
  expect(server.current.of('PATCH /requisites/7')[0]?.body).toMatchObject({
    value: ADDRESS,
    holder: null,
    memo: null,
    dailyLimit: null,
    maxAmount: '0.3',
    dailyCount: 3,
  });
});

it('says that a change waits for approval', async () => {
  server.current.on('PATCH /requisites/7', () => ({ status: 202, body: { id: '1' } }));
  const dialog = await open(`Change: ${ADDRESS}`);
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Approval requested/)).toBeTruthy();
});

it('says why payment details are not given out, and filters by that', async () => {
  await start();
  expect(await screen.findByText('enough claims for today')).toBeTruthy();
  expect(screen.getByText('claims today: 3 of 3')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Given out now' }));
  expect(screen.getByText('Nothing matches the filter')).toBeTruthy();
});

it('imports lines only as they were checked', async () => {
  const wrong = { 'lines.2.value': [{ code: 'card_checksum', message: 'The checksum is wrong.' }] };
  server.current.on('POST /requisites/import', ({ body }) => {
    const { text, dryRun } = body as { text: string; dryRun: boolean };
    if (text.includes('nonsense')) return { status: 422, body: { code: 'validation_failed', errors: wrong } };
    const line = { line: 1, value: ADDRESS, holder: null, memo: null, duplicate: false };
    return { body: { dryRun, added: 1, lines: [line] } };
  });
  const dialog = await open('Import');
  await chooseBitcoin(dialog);
  const add = () => dialog.getByRole('button', { name: /^(Import|Add)/ });
  type(dialog, 'Lines', `${ADDRESS}\nnonsense`);
  fireEvent.click(dialog.getByRole('button', { name: 'Check' }));
  expect(await dialog.findByText('Line 2')).toBeTruthy();
  expect(dialog.getByText('The checksum is wrong.')).toBeTruthy();
  expect(add()).toHaveProperty('disabled', true);
  type(dialog, 'Lines', ADDRESS);
  fireEvent.click(dialog.getByRole('button', { name: 'Check' }));
  expect(await dialog.findByText('1 line to add.')).toBeTruthy();
  fireEvent.click(add());
  await waitFor(() => expect(server.current.of('POST /requisites/import')).toHaveLength(3));
  expect(server.current.of('POST /requisites/import').map(({ body }) => (body as { dryRun: boolean }).dryRun)).toEqual([
    true,
    true,
    false,
  ]);
});

it('begins with the currency that the screen shows', async () => {
  server.current.on('GET /currencies', () => ({
    body: [
      { id: 1, code: 'BTC', position: 1 },
      { id: 2, code: 'LTC', position: 2 },
    ],
  }));
  await show(<RequisitesScreen />, { permissions: ['requisites.read', 'reserves.requisites'], at: '/?currency=2' });
  expect((await screen.findByRole('combobox', { name: 'Currency' })).textContent).toBe('LTC');
  fireEvent.click(await screen.findByRole('button', { name: 'Add payment details' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByRole('combobox', { name: 'Currency' }).textContent).toBe('LTC');
});
