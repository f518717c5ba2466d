// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import PairsScreen from './PairsScreen.tsx';
import { pairWith } from './testing.ts';

const server = fakeServer();
const PAIR = '/pairs/1';
const pair = pairWith({ receiveId: 2, rate: '16.4', marketRate: '16.7', updatedAt: '2024-03-28T09:00:00Z' });
const currency = (id: number, code: string) => ({
  id,
  code,
  ticker: code,
  network: code,
  kind: 'crypto',
  position: id,
  cities: [] as { code: string; name: { ru: string; en: string }; place: null }[],
});
const city = (code: string, ru: string, en: string) => ({ code, name: { ru, en }, place: null });

/** Of the pair as it is. */
const costs = {
  networkFee: '0.01',
  smallest: { give: '1', receive: '16.4', costPrice: '16.69', margin: '0.29', marginPercent: '1.73' },
  largest: { give: '10', receive: '164', costPrice: '16.699', margin: '2.99', marginPercent: '1.79' },
};

beforeEach(() => {
  const range = { min: '0.0005', max: '1' };
  server.current.on('GET /pairs', () => ({
    body: [pair, { ...pair, id: 2, giveId: 2, receiveId: 1 }, { ...pair, id: 3, receiveId: 3 }],
  }));
  server.current.on('GET /currencies', () => ({ body: [currency(1, 'BTC'), currency(2, 'ETH'), currency(3, 'LTC')] }));
  server.current.on('GET /rates/suspensions', () => ({ body: [] }));
  server.current.on('GET /settings', () => ({ body: [] }));
  server.current.on('GET /payments', () => ({ body: { routes: [], drivers: [], screeners: [] } }));
  server.current.on(`GET /rates${PAIR}`, () => ({
    body: {
      id: 1,
      revision: 1,
      rules: { moves: [] },
      suspension: null,
      formulaSources: ['market'],
      isManual: false,
      marketRate: '16.7',
      customerRate: '16.4',
      marginPercent: '1.79',
      from: 'BTC',
      to: 'ETH',
      costs,
    },
  }));
  server.current.on(`GET /rates${PAIR}/history`, () => ({ body: [] }));
  server.current.on(`POST ${PAIR}/preview`, () => ({
    body: { before: { rate: '16.4' }, rate: '16.3', from: range, to: range },
  }));
});

const open = (...permissions: string[]) =>
  show(<PairsScreen />, { permissions: ['market.read', 'rates.read', ...permissions] });
const cell = (name: RegExp) => screen.findByRole('button', { name });
const spread = () => screen.getByLabelText('Spread, %');

it('sends only what was changed in a direction, with the revision that was read', async () => {
  server.current.on(`PATCH ${PAIR}`, () => ({ body: { ...pair, spreadPercent: '2.5', revision: 8 } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → ETH/));
  const drawer = within(await screen.findByRole('region', { name: 'BTC → ETH' }));
  const save = await drawer.findByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(spread(), { target: { value: 'much' } });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(spread(), { target: { value: '2,5' } });
  fireEvent.click(save);
  await waitFor(() => expect(server.current.of(`PATCH ${PAIR}`)).toHaveLength(1));
  expect(server.current.of(`PATCH ${PAIR}`)[0]?.body).toEqual({ revision: 7, spreadPercent: '2.5' });
  await waitFor(() => expect(spread()).toHaveProperty('value', '2.5'));
});

it('limits a direction with cash to some of its cities', async () => {
  const cities = [city('MSK', 'Москва', 'Moscow'), city('DUBAI', 'Дубай', 'Dubai')];
  server.current.on('GET /currencies', () => ({
    body: [currency(1, 'BTC'), { ...currency(2, 'CASHUSD'), kind: 'cash', cities }, currency(3, 'LTC')],
  }));
  server.current.on('GET /pairs', () => ({ body: [{ ...pair, cities: ['MSK', 'PARIS'] }] }));
  server.current.on(`PATCH ${PAIR}`, () => ({ body: { ...pair, cities: ['DUBAI'], revision: 8 } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → CASHUSD/));
  const drawer = within(await screen.findByRole('region', { name: 'BTC → CASHUSD' }));
  expect(await drawer.findByRole('switch', { name: 'Moscow' })).toHaveProperty('checked', true);
  // The currency has no such city any more.
  fireEvent.click(drawer.getByRole('switch', { name: 'PARIS' }));
  expect(drawer.queryByRole('switch', { name: 'PARIS' })).toBeNull();
  fireEvent.click(drawer.getByRole('switch', { name: 'Moscow' }));
  fireEvent.click(drawer.getByRole('switch', { name: 'Dubai' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of(`PATCH ${PAIR}`)).toHaveLength(1));
  expect(server.current.of(`PATCH ${PAIR}`)[0]?.body).toEqual({ revision: 7, cities: ['DUBAI'] });
});

it('takes the stored terms back when a change waits for approval', async () => {
  server.current.on(`PATCH ${PAIR}`, () => ({ status: 202, body: { id: '1' } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → ETH/));
  const drawer = within(await screen.findByRole('region', { name: 'BTC → ETH' }));
  fireEvent.change(spread(), { target: { value: '9' } });
  fireEvent.click(await drawer.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Approval requested/)).toBeTruthy();
  expect(spread()).toHaveProperty('value', '1.8');
});

const choose = async (...more: string[]) => {
  await open('market.edit', ...more);
  fireEvent.click(await screen.findByRole('button', { name: 'Choose several' }));
  fireEvent.click(await cell(/^BTC → ETH/));
  fireEvent.click(await cell(/^ETH → BTC/));
};
/** A preview comes once the form has rested for a moment. */
const PREVIEWED = { timeout: 3_000 };
const bodies = (operation: string) => server.current.of(operation).map(({ body }) => body);

it('changes several directions at once, and only after what will change was shown', async () => {
  server.current.on('POST /pairs/bulk', () => ({
    body: {
      changed: 1,
      pairs: [
        { id: 1, before: '16.4', after: '16.2', state: 'ok' },
        { id: 2, before: '0.06', after: null, state: 'no_rate' },
      ],
    },
  }));
  await choose();
  fireEvent.click(screen.getByRole('button', { name: 'Change…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Change 2 directions' }));
  expect(dialog.getByText('Tick what to change.')).toBeTruthy();
  fireEvent.click(dialog.getByLabelText('Spread'));
  const field = dialog.getByLabelText('Spread, %');
  expect(field).toHaveProperty('value', '1.8');
  fireEvent.change(field, { target: { value: '' } });
  expect(dialog.getByText('Correct the marked fields')).toBeTruthy();
  fireEvent.change(field, { target: { value: '2,5' } });
  const [row, change1] = (await dialog.findAllByText('BTC → ETH', undefined, PREVIEWED)).map((one) =>
    one.closest('tr'),
  );
  expect([...(row?.cells ?? [])].map((one) => one.textContent)).toEqual(['BTC → ETH', '16.4', '16.2', 'works']);
  expect([...(change1?.cells ?? [])].map((one) => one.textContent)).toEqual(['BTC → ETH', 'Spread', '1.8', '2.5']);
  expect(dialog.getAllByText('ETH → BTC')[0]?.closest('tr')?.textContent).toContain('No rate');
  fireEvent.click(dialog.getByText('Change 1 direction'));
  expect(await screen.findByText('1 direction changed')).toBeTruthy();
  const change = { ids: [1, 2], set: { spreadPercent: '2.5' } };
  expect(bodies('POST /pairs/bulk')).toEqual([
    { ...change, dryRun: true },
    { ...change, dryRun: false },
  ]);
});

it('sets the ticked rate rules of several directions, as they were previewed', async () => {
  const moved = {
    pairId: 1,
    from: 'BTC',
    to: 'ETH',
    before: '16.4',
    after: '16.1',
    costsBefore: costs,
    costsAfter: {
      networkFee: '0.01',
      smallest: { give: '1', receive: '16.1', costPrice: '16.69', margin: '0.59', marginPercent: '3.53' },
      largest: { give: '10', receive: '161', costPrice: '16.699', margin: '5.99', marginPercent: '3.58' },
    },
    wasSuspended: false,
    suspension: null,
  };
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on('POST /rates/pairs/bulk', () => ({ body: { changed: 2, pairs: [moved] } }));
  await choose('rates.edit');
  fireEvent.click(screen.getByRole('button', { name: 'Rate rules…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Set rate rules of 2 directions' }));
  fireEvent.click(dialog.getByLabelText('Bounds of the margin'));
  fireEvent.change(dialog.getByLabelText('Smallest margin, %'), { target: { value: 'none' } });
  expect(dialog.getByText('Correct the marked fields')).toBeTruthy();
  // What is ticked no more is not read.
  fireEvent.click(dialog.getByLabelText('Bounds of the margin'));
  fireEvent.click(dialog.getByLabelText('Bounds of the margin'));
  fireEvent.change(dialog.getByLabelText('Smallest margin, %'), { target: { value: '1,5' } });
  fireEvent.change(dialog.getByLabelText('Largest margin, %'), { target: { value: '4' } });
  const row = (await dialog.findByText('BTC → ETH', undefined, PREVIEWED)).closest('tr');
  expect([...(row?.cells ?? [])].map((one) => one.textContent)).toEqual([
    'BTC → ETH',
    '16.4',
    '16.1',
    'smallest: 1.73% → 3.53%0.29 → 0.59 ETHlargest: 1.79% → 3.58%2.99 → 5.99 ETH',
    'works',
  ]);
  fireEvent.click(dialog.getByText('Change 2 directions', { selector: 'button' }));
  expect(await screen.findByText('2 directions changed')).toBeTruthy();
  expect(bodies('POST /rates/pairs/bulk').at(-1)).toEqual({
    ids: [1, 2],
    fields: ['bounds'],
    rules: { bounds: { floor: '1.5', ceiling: '4' }, moves: [] },
    dryRun: false,
  });
});

it('switches several directions off after the same preview, and shows why it is refused', async () => {
  server.current.on('POST /pairs/bulk', ({ body }) =>
    (body as { dryRun: boolean }).dryRun
      ? { body: { changed: 2, pairs: [] } }
      : { status: 409, body: { code: 'approval_one_by_one', detail: 'One by one, please.' } },
  );
  await choose();
  fireEvent.click(screen.getByRole('button', { name: 'Switch off' }));
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.click(await dialog.findByText('Change 2 directions', { selector: 'button' }, PREVIEWED));
  expect((await dialog.findByRole('alert')).textContent).toBe('One by one, please.');
  expect(bodies('POST /pairs/bulk').at(-1)).toEqual({ ids: [1, 2], set: { enabled: false }, dryRun: false });
});

it('creates directions between all chosen currencies, as they were previewed', async () => {
  server.current.on('POST /pairs', () => ({
    body: {
      created: 1,
      existing: 1,
      pairs: [{ giveId: 3, receiveId: 1, rate: '0.0014', state: 'off' }],
    },
  }));
  await open('market.edit');
  fireEvent.click(await screen.findByRole('button', { name: 'New directions' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New directions' }));
  const side = (legend: string) => within(dialog.getByText(legend).closest('fieldset') as HTMLElement);
  fireEvent.click(side('Customers give').getByText('Crypto'));
  fireEvent.click(side('Customers give').getByText('BTC'));
  fireEvent.click(side('Customers receive').getByText('BTC'));
  fireEvent.change(dialog.getByLabelText('Spread, %'), { target: { value: '1,5' } });
  fireEvent.change(dialog.getByLabelText('Receives from, BTC'), { target: { value: '0.001' } });
  expect(await dialog.findByText('LTC → BTC', undefined, PREVIEWED)).toBeTruthy();
  expect(dialog.getByText('1 new direction, 1 exists and stays as it is')).toBeTruthy();
  fireEvent.click(dialog.getByText('Create 1 direction'));
  expect(await screen.findByText('1 direction created')).toBeTruthy();
  const [preview, create] = server.current.of('POST /pairs').slice(-2);
  expect([preview?.key, Boolean(create?.key)]).toEqual([null, true]);
  expect(create?.body).toMatchObject({
    giveIds: [2, 3],
    receiveIds: [1],
    dryRun: false,
    set: {
      enabled: false,
      source: 'market',
      spreadPercent: '1.5',
      limits: { from: { min: null, max: null, step: null }, to: { min: '0.001', max: null, step: null } },
    },
  });
  expect({ ...(preview?.body as object), dryRun: false }).toEqual(create?.body);
});

it('begins the missing directions of a row or a column at its head', async () => {
  await open('market.edit');
  const pressed = async (side: string) => {
    const dialog = within(await screen.findByRole('dialog', { name: 'New directions' }));
    const chips = within(dialog.getByText(side).closest('fieldset') as HTMLElement).getAllByRole('button');
    return chips.filter((chip) => chip.getAttribute('aria-pressed') === 'true').map((chip) => chip.textContent);
  };
  fireEvent.click(await screen.findByRole('button', { name: /New directions that give ETH$/ }));
  expect(await pressed('Customers give')).toEqual(['ETH']);
  expect(await pressed('Customers receive')).toEqual(['BTC', 'LTC']);
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.click(await screen.findByRole('button', { name: /New directions that receive ETH$/ }));
  expect(await pressed('Customers receive')).toEqual(['ETH']);
  expect(await pressed('Customers give')).toEqual(['BTC', 'LTC']);
});

it('shows the notices of several directions as customers will see them, in either language', async () => {
  const text = (message: string) => ({ title: 'Fine', message });
  const notices = {
    general: { ru: text('<p>Да</p>'), en: text('<p>Pay <b>yourself</b><script>x()</script></p>') },
    from: null,
    to: null,
  };
  server.current.on('POST /pairs/bulk', () => ({ body: { changed: 2, pairs: [], notices, customerTerms: null } }));
  await choose();
  fireEvent.click(screen.getByRole('button', { name: 'Change…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Change 2 directions' }));
  fireEvent.click(dialog.getByLabelText('Notices'));
  const preview = within(await dialog.findByRole('region', { name: 'Notices as visitors see them' }, PREVIEWED));
  expect(preview.getByRole('article').innerHTML).toContain('<p>Pay <b>yourself</b></p>');
  fireEvent.click(preview.getByRole('button', { name: 'RU' }));
  expect(preview.getByText('Да')).toBeTruthy();
});

it('creates directions with the terms of another one, switched off', async () => {
  server.current.on('POST /pairs', () => ({ body: { created: 1, existing: 0, pairs: [] } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → ETH/));
  fireEvent.click(await screen.findByRole('button', { name: 'New like this…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New directions' }));
  expect(dialog.getByLabelText('Spread, %')).toHaveProperty('value', '1.8');
  const receives = within(dialog.getByText('Customers receive').closest('fieldset') as HTMLElement);
  fireEvent.click(receives.getByText('LTC'));
  await dialog.findByText('Create 1 direction', undefined, PREVIEWED);
  expect(bodies('POST /pairs').at(-1)).toMatchObject({
    giveIds: [1],
    receiveIds: [3],
    set: { enabled: false, archived: false, spreadPercent: '1.8', limits: { from: { min: '0.0005' } } },
  });
});

it('hides archived directions until they are asked for, and brings them back', async () => {
  const archived = { ...pair, id: 4, giveId: 3, receiveId: 2, enabled: false, archived: true, state: 'off' };
  server.current.on('GET /pairs', () => ({ body: [pair, archived] }));
  server.current.on('PATCH /pairs/4', () => ({ body: { ...archived, archived: false, revision: 8 } }));
  await open('market.edit');
  await cell(/^BTC → ETH/);
  expect(screen.queryByRole('button', { name: /^LTC → ETH|^Create LTC → ETH/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Archive' }));
  fireEvent.click(await cell(/^LTC → ETH, In the archive/));
  const drawer = within(await screen.findByRole('region', { name: 'LTC → ETH' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Bring back' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Bring LTC → ETH back?' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Bring back' }));
  expect(await screen.findByText('LTC → ETH is back, switched off')).toBeTruthy();
  expect(bodies('PATCH /pairs/4')).toEqual([{ revision: 7, archived: false }]);
});

it('creates the direction of an empty cell', async () => {
  server.current.on('POST /pairs', () => ({ body: { created: 1, existing: 0, pairs: [] } }));
  await open('market.edit');
  fireEvent.click(await screen.findByRole('button', { name: 'Create LTC → ETH' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New directions' }));
  await dialog.findByText('Create 1 direction', undefined, PREVIEWED);
  expect(bodies('POST /pairs')[0]).toMatchObject({ giveIds: [3], receiveIds: [2], dryRun: true });
});

it('says what comes first where there are no directions, or no currencies either', async () => {
  server.current.on('GET /pairs', () => ({ body: [] }));
  const { unmount } = await open('market.edit');
  expect(await screen.findByText('No directions yet')).toBeTruthy();
  fireEvent.click(await screen.findByRole('button', { name: 'New directions' }));
  expect(await screen.findByRole('dialog', { name: 'New directions' })).toBeTruthy();
  unmount();
  server.current.on('GET /currencies', () => ({ body: [] }));
  await open('market.edit');
  const link = await screen.findByRole('link', { name: 'Add a currency' });
  expect(link.getAttribute('href')).toBe('/currencies?new');
});

it('cannot be changed without the permission', async () => {
  await open();
  fireEvent.click(await cell(/^BTC → ETH/));
  await screen.findByRole('region', { name: 'BTC → ETH' });
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(spread().closest('fieldset')).toHaveProperty('disabled', true);
  expect(screen.queryByRole('button', { name: /New directions|^Create/ })).toBeNull();
});

it('moves between cells with the arrows, also to those where a direction can be created', async () => {
  await open('market.edit');
  const first = await cell(/^BTC → ETH/);
  expect(first.tabIndex).toBe(0);
  fireEvent.keyDown(first, { key: 'ArrowRight' });
  const second = await cell(/^BTC → LTC/);
  expect([document.activeElement, first.tabIndex, second.tabIndex]).toEqual([second, -1, 0]);
  fireEvent.keyDown(second, { key: 'ArrowDown' });
  expect(document.activeElement).toBe(await cell(/^Create ETH → LTC/));
});
