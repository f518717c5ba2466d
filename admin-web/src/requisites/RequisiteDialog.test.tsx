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
  dailyLimit: '0.5',
  usedToday: '0.1',
  lastUsedAt: null,
  enabled: true,
};

beforeEach(() => {
  server.current.on('GET /requisites', () => ({ body: [requisite] }));
  server.current.on('GET /currencies', () => ({ body: [{ id: 1, code: 'BTC', position: 1 }] }));
});

const open = async (button: string) => {
  await show(<RequisitesScreen />, { permissions: ['requisites.read', 'reserves.requisites'] });
  fireEvent.click(await screen.findByRole('button', { name: button }));
  return within(await screen.findByRole('dialog'));
};

it('adds payment details once, with the amounts as the API writes them', async () => {
  server.current.on('POST /requisites', () => ({ body: requisite }));
  const dialog = await open('Add payment details');
  const save = dialog.getByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.mouseDown(dialog.getByRole('combobox', { name: 'Currency' }));
  fireEvent.click(await screen.findByRole('option', { name: 'BTC' }));
  const [value, , , limit] = dialog.getAllByRole('textbox');
  fireEvent.change(value as Element, { target: { value: ` ${ADDRESS} ` } });
  fireEvent.change(limit as Element, { target: { value: '1,5' } });
  fireEvent.click(save);
  await waitFor(() => expect(server.current.of('POST /requisites')).toHaveLength(1));
  const [call] = server.current.of('POST /requisites');
  expect(call?.body).toEqual({ currencyId: 1, value: ADDRESS, dailyLimit: '1.5' });
  expect(call?.key).toBeTruthy();
});

it('empties a field with null, and shows a refusal at its field', async () => {
  const errors = { value: [{ code: 'address_invalid', message: 'This is no address of the network.' }] };
  server.current.on('PATCH /requisites/7', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  const dialog = await open(`Change: ${ADDRESS}`);
  const limit = dialog.getAllByRole('textbox').at(-1);
  fireEvent.change(limit as Element, { target: { value: '' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('This is no address of the network.')).toBeTruthy();
  expect(server.current.of('PATCH /requisites/7')[0]?.body).toEqual({
    value: ADDRESS,
    holder: null,
    memo: null,
    dailyLimit: null,
  });
});

it('says that a change waits for approval', async () => {
  server.current.on('PATCH /requisites/7', () => ({ status: 202, body: { id: '1' } }));
  const dialog = await open(`Change: ${ADDRESS}`);
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Approval requested/)).toBeTruthy();
});
