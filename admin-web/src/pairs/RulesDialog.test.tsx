// @vitest-environment happy-dom
import type { Schema } from '@agio/client/admin';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { RulesDialog } from './RulesDialog.tsx';

const server = fakeServer();
const PREVIEW = 'POST /rates/pairs/1/preview';
/** A preview comes once the form has rested for a moment. */
const PREVIEWED = { timeout: 3_000 };

const costs = (margin: string, marginPercent: string): Schema<'ExchangeCosts'> => ({
  networkFee: '322.08',
  smallest: { give: '0.01', receive: '63391.78', costPrice: '6409392', margin, marginPercent },
  largest: { give: '0.4', receive: '2535676.8', costPrice: '6440194.8', margin: '40000', marginPercent: '1.55' },
});

const pair: Schema<'PairRateDetails'> = {
  id: 1,
  from: 'BTC',
  to: 'SBERRUB',
  costs: null,
  revision: 3,
  rules: { formula: 'kraken:BTCRUB', moves: [] },
  updatedAt: null,
  suspension: null,
  rate: null,
  formulaSources: ['market', 'kraken'],
  isManual: false,
  marketRate: '6441000',
  customerRate: '6299298',
  marginPercent: '2.2',
};
const preview = (more: Partial<Schema<'RateRulesPreview'>> = {}): Schema<'RateRulesPreview'> => ({
  from: 'BTC',
  to: 'SBERRUB',
  marketRate: '6441000',
  formulaRate: '6506016',
  references: [
    {
      name: 'kraken:BTC/RUB',
      bid: '6441000',
      ask: '6442200',
      sources: ['kraken'],
      observedAt: new Date().toISOString(),
      fault: null,
    },
  ],
  before: { rate: '6299298', marginPercent: '2.2', costs: costs('444.08', '0.69') },
  after: { rate: '6362883.648', marginPercent: '1.21', costs: costs('-12.5', '-0.02') },
  sample: { give: '0.005', receive: '31814.41' },
  suspension: null,
  ...more,
});

const open = () =>
  show(<RulesDialog pair={pair} name="BTC → SBERRUB" onClose={() => undefined} />, {
    permissions: ['rates.read', 'rates.edit'],
  });
const formula = () => screen.getByLabelText('Formula of the rate');

it('shows the prices of a formula, the rate and the margin before it is saved', async () => {
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on(PREVIEW, () => ({ body: preview() }));
  server.current.on('PUT /rates/pairs/1', () => ({ body: pair }));
  await open();
  fireEvent.change(formula(), { target: { value: 'mid(kraken:BTCRUB) * 1.01' } });
  const shown = within(await screen.findByRole('region', { name: 'What visitors would see' }, PREVIEWED));
  expect(shown.getByText('kraken:BTC/RUB')).toBeTruthy();
  expect(shown.getByText('6,362,883, margin 1.21%')).toBeTruthy();
  expect(shown.getByText('0.005 BTC → 31,814.41 SBERRUB')).toBeTruthy();
  await waitFor(() => {
    const last = server.current.of(PREVIEW).at(-1)?.body;
    expect(last).toEqual({ rules: { formula: 'mid(kraken:BTCRUB) * 1.01', moves: [] } });
  }, PREVIEWED);
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of('PUT /rates/pairs/1')).toHaveLength(1));
  expect(server.current.of('PUT /rates/pairs/1')[0]?.body).toEqual({
    revision: 3,
    rules: { formula: 'mid(kraken:BTCRUB) * 1.01', moves: [] },
  });
});

it('marks the character at which a formula is refused', async () => {
  const fault = { code: 'formula_number_added', message: 'Character 15: no.', params: { position: '15' } };
  const problem = { status: 422, code: 'validation_failed', errors: { 'rules.formula': [fault] } };
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on(PREVIEW, () => ({ status: 422, body: problem }));
  await open();
  fireEvent.change(formula(), { target: { value: 'kraken:BTCRUB + 1%' } });
  expect(await screen.findByText('Character 15: no.', undefined, PREVIEWED)).toBeTruthy();
  await waitFor(() => expect(document.querySelector('mark')?.textContent).toBe('+'));
});

it('asks for the bounds of the margin where a rule needs them', async () => {
  const problem = {
    status: 422,
    code: 'validation_failed',
    errors: { 'rules.bounds': [{ code: 'required', message: 'Missing.' }] },
  };
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on(PREVIEW, () => ({ status: 422, body: problem }));
  await open();
  expect(await screen.findAllByText('Missing.', undefined, PREVIEWED)).toHaveLength(2);
  for (const bound of ['Smallest margin, %', 'Largest margin, %']) {
    expect(screen.getByLabelText(bound).getAttribute('aria-invalid')).toBe('true');
  }
});

it('says why the pair would be suspended', async () => {
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on(PREVIEW, () => ({
    body: preview({
      formulaRate: null,
      before: { rate: null, marginPercent: null, costs: null },
      after: { rate: null, marginPercent: null, costs: null },
      sample: null,
      suspension: 'Too old.',
    }),
  }));
  await open();
  expect(await screen.findByText('Too old.', undefined, PREVIEWED)).toBeTruthy();
  expect(screen.getByText(/^There is no cost price now/)).toBeTruthy();
});

it('shows what exchanges cost before and after, and holds the smallest margin over the cost price', async () => {
  server.current.on('GET /rates/sources', () => ({ body: [] }));
  server.current.on(PREVIEW, () => ({ body: preview() }));
  await open();
  expect(screen.queryByLabelText('The smallest margin is held over')).toBeNull();
  fireEvent.change(screen.getByLabelText('Smallest margin, %'), { target: { value: '1' } });
  fireEvent.change(screen.getByLabelText('Largest margin, %'), { target: { value: '4' } });
  fireEvent.mouseDown(screen.getByLabelText('The smallest margin is held over'));
  fireEvent.click(await screen.findByRole('option', { name: 'the cost price' }));
  const shown = within(await screen.findByRole('region', { name: 'What visitors would see' }, PREVIEWED));
  const rows = shown.getAllByRole('row').map((row) => row.textContent);
  const now = rows.find((row) => row?.startsWith('Now: smallest'));
  expect(now).toMatch(/0\.01 BTC → 63,391\.78 SBERRUB.*6,409,392.*0\.69%444\.08 SBERRUB/);
  expect(rows.find((row) => row?.startsWith('Would be: smallest'))).toMatch(/−0\.02%−12\.5 SBERRUB/);
  expect(shown.getByText(/^The network takes 322\.08 SBERRUB for a payout/)).toBeTruthy();
  await waitFor(() => {
    expect(server.current.of(PREVIEW).at(-1)?.body).toMatchObject({
      rules: { bounds: { floor: '1', ceiling: '4', floorOver: 'cost' } },
    });
  }, PREVIEWED);
});
