// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import CurrenciesScreen from './CurrenciesScreen.tsx';

const server = fakeServer();
const address = {
  name: 'address',
  kind: 'btc',
  label: { ru: 'Адрес', en: 'Address' },
  required: true,
  send: false,
  receive: true,
};
const facts = {
  code: 'BTC',
  ticker: 'BTC',
  name: { ru: 'Биткоин', en: 'Bitcoin' },
  kind: 'crypto',
  icon: 'btc',
  scale: 8,
  roundCalculator: 6,
  inputs: [address],
};
const btc = {
  ...facts,
  id: 1,
  network: 'Bitcoin',
  networkName: { ru: 'Биткоин', en: 'Bitcoin' },
  cities: [],
  send: true,
  receive: true,
  position: 10,
  reserve: '4',
  reserveFloor: '0.5',
  networkFee: '0',
  explorer: null,
  archived: false,
  revision: 3,
  updatedAt: '2026-03-28T09:00:00Z',
};
const old = { ...btc, id: 2, code: 'OLD', archived: true, position: 20 };
const entry = { ...facts, network: { ru: 'Биткоин', en: 'Bitcoin' }, taken: true, aliases: [] };
const ltc = {
  ...entry,
  code: 'LTC',
  ticker: 'LTC',
  name: { ru: 'Лайткоин', en: 'Litecoin' },
  network: { ru: 'Лайткоин', en: 'Litecoin' },
  icon: 'ltc',
  taken: false,
  aliases: ['silver'],
};

beforeEach(() => {
  server.current.on('GET /currencies', () => ({ body: [btc, old] }));
  server.current.on('GET /catalogue', () => ({ body: [entry, ltc, { ...ltc, code: 'SBERRUB', kind: 'bank' }] }));
});

const open = (...permissions: string[]) => show(<CurrenciesScreen />, { permissions: ['market.read', ...permissions] });
const button = (name: string) => screen.findByRole('button', { name });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const type = (field: Element, value: string) => fireEvent.change(field, { target: { value } });
const sent = (operation: string) => server.current.of(operation)[0];

async function openCatalogue() {
  await open('market.edit');
  fireEvent.click(await button('New currency'));
  return screen.findByRole('combobox', { name: 'Find it in the catalogue' });
}

it('creates a currency of the catalogue by the keyboard alone', async () => {
  server.current.on('POST /currencies', () => ({ body: { ...btc, id: 3, code: 'LTC' } }));
  const search = await openCatalogue();
  expect((await screen.findAllByRole('option')).map((option) => option.getAttribute('aria-selected'))).toEqual([
    'true',
    'false',
    'false',
  ]);
  fireEvent.keyDown(search, { key: 'ArrowDown' });
  expect(search.getAttribute('aria-activedescendant')).toBe(screen.getAllByRole('option')[1]?.id);
  type(search, 'silver');
  expect(screen.getAllByRole('option')).toHaveLength(2);
  fireEvent.keyDown(search, { key: 'Enter' });
  const form = await dialog('New currency');
  type(form.getByLabelText('Floor of the reserve'), '2,5');
  fireEvent.click(form.getByRole('button', { name: 'Add currency' }));
  expect(await screen.findByText('Currency LTC added')).toBeTruthy();
  const { taken: _, aliases: __, ...created } = ltc;
  expect(sent('POST /currencies')?.body).toEqual({
    ...created,
    reserveFloor: '2.5',
    networkFee: '0',
    explorer: null,
    send: true,
    receive: true,
  });
  expect(sent('POST /currencies')?.key).toBeTruthy();
});

it('narrows the catalogue to a kind, and opens what is there already', async () => {
  await openCatalogue();
  fireEvent.click(await button('Banks'));
  expect(screen.getAllByRole('option')).toHaveLength(1);
  fireEvent.click(await button('All'));
  fireEvent.click(screen.getByRole('option', { name: /Bitcoin.*added already/ }));
  expect((await dialog('BTC')).getByLabelText('Code')).toHaveProperty('value', 'BTC');
});

it('takes a picture of the owner’s own as the icon once it is saved', async () => {
  await openCatalogue();
  fireEvent.click(screen.getByRole('option', { name: /Bitcoin.*added already/ }));
  const form = await dialog('BTC');
  const upload = (name: string) =>
    fireEvent.change(form.getByLabelText('Upload a picture'), { target: { files: [new File(['x'], name)] } });
  server.current.on('POST /currency-icons', () => ({
    status: 422,
    body: { code: 'validation_failed', errors: { file: [{ code: 'picture_type', message: 'No picture' }] } },
  }));
  upload('a.svg');
  expect(await form.findByText('No picture')).toBeTruthy();
  const icon = 'upload-0123456789abcdef';
  server.current.on('POST /currency-icons', () => ({ status: 201, body: { icon } }));
  upload('a.png');
  await waitFor(() => expect(form.getByLabelText('Icon')).toHaveProperty('value', icon));
  expect(document.querySelector('[role="dialog"] image')?.getAttribute('href')).toBe(`/brand/${icon}.png`);
  server.current.on('PATCH /currencies/1', () => ({ body: { ...btc, icon } }));
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH /currencies/1')?.body).toMatchObject({ icon }));
});

it('makes one of the owner’s own, with fields in the order they were put in', async () => {
  server.current.on('POST /currencies', () => ({ body: { ...btc, code: 'MINE' } }));
  await openCatalogue();
  fireEvent.click(await button('One of my own'));
  const form = await dialog('New currency');
  const add = form.getByRole('button', { name: 'Add currency' });
  type(form.getByLabelText('Code'), 'mine');
  type(form.getByLabelText('Ticker'), 'mine');
  type(form.getByLabelText('Name in Russian'), 'Моя');
  type(form.getByLabelText('Name in English'), 'Mine');
  type(form.getByLabelText('Network or bank in Russian'), 'Сеть');
  type(form.getByLabelText('Network or bank in English'), 'Net');
  fireEvent.click(add);
  // The form is longer than the screen: what is missing is shown.
  const label = await waitFor(() => {
    const field = form.getByLabelText('Label in Russian');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    return field;
  });
  expect(document.activeElement).toBe(label);
  expect(sent('POST /currencies')).toBeUndefined();
  fireEvent.click(form.getByRole('button', { name: 'Add a field' }));
  const [first, second] = form.getAllByRole('group', { name: /^Field/ }).map((group) => within(group));
  for (const [field, label] of [
    [first, 'Details'],
    [second, 'Wallet'],
  ] as const) {
    type(field?.getByLabelText('Label in Russian') as Element, label);
    type(field?.getByLabelText('Label in English') as Element, label);
  }
  fireEvent.click(form.getByRole('button', { name: 'Move field 2 up' }));
  fireEvent.click(add);
  await waitFor(() => expect(sent('POST /currencies')).toBeTruthy());
  expect(sent('POST /currencies')?.body).toMatchObject({
    code: 'MINE',
    icon: 'crypto',
    network: { ru: 'Сеть', en: 'Net' },
    inputs: [
      { name: 'details2', label: { ru: 'Wallet', en: 'Wallet' } },
      { name: 'details', label: { ru: 'Details', en: 'Details' } },
    ],
  });
});

it('gives a bank two decimals, unless others were typed', async () => {
  await openCatalogue();
  fireEvent.click(await button('One of my own'));
  const form = await dialog('New currency');
  const choose = async (kind: string) => {
    fireEvent.mouseDown(form.getByRole('combobox', { name: 'Kind' }));
    fireEvent.click(await screen.findByRole('option', { name: kind }));
  };
  const decimals = () =>
    ['Decimals stored', 'Digits in the calculator'].map((label) => form.getByLabelText<HTMLInputElement>(label).value);
  expect(decimals()).toEqual(['8', '8']);
  await choose('bank');
  expect(decimals()).toEqual(['2', '2']);
  type(form.getByLabelText('Digits in the calculator'), '0');
  await choose('cash');
  expect(decimals()).toEqual(['2', '0']);
  await choose('cryptocurrency');
  expect(decimals()).toEqual(['8', '0']);
});

it('says why digits that the ledger does not store are refused', async () => {
  const errors = { roundCalculator: [{ code: 'value_out_of_range', message: 'From 0 to 6.' }] };
  server.current.on('POST /currencies', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  const search = await openCatalogue();
  type(search, 'silver');
  fireEvent.keyDown(search, { key: 'Enter' });
  const form = await dialog('New currency');
  type(form.getByLabelText('Decimals stored'), '6');
  type(form.getByLabelText('Digits in the calculator'), '8');
  fireEvent.click(form.getByRole('button', { name: 'Add currency' }));
  expect(await form.findByText('From 0 to 6.')).toBeTruthy();
});

it('sends only what was changed, with the revision that was read, and shows refusals at their fields', async () => {
  const errors = { 'inputs[0].name': [{ code: 'input_name_invalid', message: 'Letters only.' }] };
  server.current.on('PATCH /currencies/1', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  await open('market.edit');
  fireEvent.click(await button('Change: BTC'));
  const form = await dialog('BTC');
  expect(form.queryByLabelText('Decimals stored')).toBeNull();
  type(form.getByLabelText('Name in the API'), 'wallet 1');
  type(form.getByLabelText('Network or bank in English'), 'Mainnet');
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(await form.findByText('Letters only.')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText('Name in the API')));
  expect(sent('PATCH /currencies/1')?.body).toEqual({
    revision: 3,
    network: { ru: 'Биткоин', en: 'Mainnet' },
    inputs: [{ ...address, name: 'wallet 1' }],
  });
});

it('sends the hint, mask and pattern of a text, and drops mask and pattern where the kind has a form of its own', async () => {
  const errors = { 'inputs[1].pattern': [{ code: 'pattern_invalid', message: 'No such pattern.' }] };
  server.current.on('PATCH /currencies/1', () => ({ status: 422, body: { code: 'validation_failed', errors } }));
  await open('market.edit');
  fireEvent.click(await button('Change: BTC'));
  const form = await dialog('BTC');
  expect(form.queryByLabelText('Pattern')).toBeNull();
  fireEvent.click(form.getByRole('button', { name: 'Add a field' }));
  const added = within(form.getAllByRole('group', { name: /^Field/ })[1] as HTMLElement);
  for (const name of ['Label in Russian', 'Label in English', 'Hint in Russian', 'Hint in English']) {
    type(added.getByLabelText(name), name);
  }
  type(added.getByLabelText('Pattern'), '(1');
  type(added.getByLabelText('Mask'), ' ##-## ');
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(await form.findByText('No such pattern.')).toBeTruthy();
  const hint = { ru: 'Hint in Russian', en: 'Hint in English' };
  expect(sent('PATCH /currencies/1')?.body).toMatchObject({
    inputs: [address, { hint, pattern: '(1', mask: '##-##' }],
  });

  fireEvent.mouseDown(added.getByRole('combobox', { name: /^What it is/ }));
  fireEvent.click(await screen.findByRole('option', { name: 'Phone number' }));
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of('PATCH /currencies/1')).toHaveLength(2));
  const body = server.current.of('PATCH /currencies/1')[1]?.body;
  expect(body).toMatchObject({ inputs: [address, { kind: 'phone', hint }] });
  expect(body).not.toHaveProperty('inputs[1].pattern');
  expect(body).not.toHaveProperty('inputs[1].mask');
});

it('begins a similar one without a code', async () => {
  await open('market.edit');
  fireEvent.click(await button('Change: BTC'));
  fireEvent.click(await button('Duplicate'));
  const form = await dialog('New currency');
  expect(form.getByLabelText('Code')).toHaveProperty('value', '');
  expect(form.getByLabelText('Name in English')).toHaveProperty('value', 'Bitcoin');
  fireEvent.click(form.getByRole('button', { name: 'Add currency' }));
  await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText('Code')));
  expect(sent('POST /currencies')).toBeUndefined();
});

it('says at the cities that cash needs one', async () => {
  const refusal = 'Cash needs a city.';
  const cities = [{ code: 'city_required', message: refusal }];
  server.current.on('GET /catalogue', () => ({ body: [{ ...ltc, code: 'CASHRUB', kind: 'cash' }] }));
  server.current.on('GET /catalogue/cities', () => ({ body: [] }));
  server.current.on('POST /currencies', () => ({
    status: 422,
    body: { code: 'validation_failed', errors: { cities } },
  }));
  await openCatalogue();
  fireEvent.click(await screen.findByRole('option', { name: /CASHRUB/ }));
  const form = await dialog('New currency');
  fireEvent.click(form.getByRole('button', { name: 'Add currency' }));
  expect(await form.findByText(refusal)).toBeTruthy();
});

it('says what archiving means before it does it, and brings one back', async () => {
  server.current.on('POST /currencies/1/archive', () => ({ body: { ...btc, archived: true } }));
  server.current.on('POST /currencies/2/unarchive', () => ({ body: { ...old, archived: false } }));
  await open('market.edit');
  expect(await screen.findByText('BTC')).toBeTruthy();
  expect(screen.queryByText('OLD')).toBeNull();
  fireEvent.click(await button('Change: BTC'));
  fireEvent.click(await button('Archive'));
  const question = await dialog('Archive BTC?');
  expect(question.getByText(/Open claims go on/)).toBeTruthy();
  expect(sent('POST /currencies/1/archive')).toBeUndefined();
  fireEvent.click(question.getByRole('button', { name: 'Archive' }));
  expect(await screen.findByText('BTC archived')).toBeTruthy();
  fireEvent.click(await button('Show 1 archived'));
  fireEvent.click(await button('Change: OLD'));
  fireEvent.click(await button('Bring back'));
  fireEvent.click((await dialog('Bring OLD back?')).getByRole('button', { name: 'Bring back' }));
  expect(await screen.findByText('OLD is offered again')).toBeTruthy();
});

it('says what to do first where there is nothing', async () => {
  server.current.on('GET /currencies', () => ({ body: [] }));
  await open('market.edit');
  fireEvent.click(await button('Add the first currency'));
  expect(await screen.findByRole('combobox', { name: 'Find it in the catalogue' })).toBeTruthy();
});

it('offers nothing to change without the permission', async () => {
  await open();
  expect(await screen.findByText('BTC')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /New currency|Change/ })).toBeNull();
});
