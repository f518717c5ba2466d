// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { TableDialog } from './TableDialog.tsx';

const server = fakeServer();
const APPLY = 'POST /market/tables/pairs';
const TABLE = 'give,receive,spreadPercent\nBTC,SBERRUB,2.5\n';
const line = {
  line: 2,
  subject: 'BTC → SBERRUB',
  isNew: false,
  values: [{ column: 'spreadPercent', before: '1.8', after: '2.5' }],
};

async function choose(text: string, name = 'pairs.csv', type = 'text/csv') {
  await show(<TableDialog table="pairs" onClose={() => undefined} />, { permissions: ['market.read', 'market.edit'] });
  const dialog = within(await screen.findByRole('dialog', { name: 'Directions as a table' }));
  const file = new File([text], name, { type });
  fireEvent.change(dialog.getByLabelText('Choose a file…', { selector: 'input' }), { target: { files: [file] } });
  return dialog;
}

it('shows what a file changes, and applies just that', async () => {
  const report = { applied: false, plan: 'a1', lines: [line], errors: [] };
  server.current.on(APPLY, ({ query }) => ({ body: query.plan ? { ...report, applied: true, plan: null } : report }));
  const dialog = await choose(TABLE);
  expect(await dialog.findByText('1 line changes something')).toBeTruthy();
  expect(dialog.getByText('BTC → SBERRUB')).toBeTruthy();
  fireEvent.click(dialog.getByRole('button', { name: 'Apply 1 line' }));
  expect(await screen.findByText('1 line applied')).toBeTruthy();
  expect(server.current.of(APPLY).map(({ body, query }) => [body, query.plan])).toEqual([
    [TABLE, undefined],
    [TABLE, 'a1'],
  ]);
});

it('sends a spreadsheet as one, whatever type the browser gives it', async () => {
  server.current.on(APPLY, () => ({ body: { applied: false, plan: null, lines: [], errors: [] } }));
  const dialog = await choose('PK', 'Directions.XLSX', '');
  expect(await dialog.findByText('Everything is as the table says.')).toBeTruthy();
  const [sent] = server.current.of(APPLY);
  expect([sent?.type, sent?.body]).toEqual(['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK']);
});

it('asks for the table as a spreadsheet or as text', async () => {
  server.current.on('GET /market/tables/pairs', () => ({ body: {} }));
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  await show(<TableDialog table="pairs" onClose={() => undefined} />, { permissions: ['market.read', 'market.edit'] });
  for (const format of ['XLSX', 'CSV']) {
    fireEvent.click(await screen.findByRole('button', { name: `Download ${format}` }));
    await waitFor(() => expect(saved.at(-1)).toBe(`pairs.${format.toLowerCase()}`));
  }
  expect(server.current.of('GET /market/tables/pairs').map(({ query }) => query.format)).toEqual(['xlsx', 'csv']);
});

it('says what is wrong in which line, and applies nothing', async () => {
  const error = { line: 3, column: 'enabled', code: 'not_a_flag', message: 'Write true or false.' };
  server.current.on(APPLY, () => ({ body: { applied: false, plan: null, lines: [], errors: [error] } }));
  const dialog = await choose(TABLE);
  expect(await dialog.findByText('1 error: nothing can be changed')).toBeTruthy();
  expect(dialog.getByText('Write true or false.')).toBeTruthy();
  expect(dialog.getByRole('button', { name: /^Apply/ })).toHaveProperty('disabled', true);
});

it('says that a file changes nothing', async () => {
  server.current.on(APPLY, () => ({ body: { applied: false, plan: null, lines: [], errors: [] } }));
  const dialog = await choose(TABLE);
  await waitFor(() => expect(dialog.getByText('Everything is as the table says.')).toBeTruthy());
});
