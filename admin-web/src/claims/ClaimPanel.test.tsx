// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { ClaimPanel } from './ClaimPanel.tsx';
import { claimWith, transition } from './testing.ts';
import type { Claim } from './types.ts';

const server = fakeServer();
const TRANSITIONS = 'POST /claims/a/transitions';
const received = transition('payment_received', 'paid', { main: true });
const hold = transition('hold', 'on_hold', { needs: ['reason', 'answerBy'] });
const payout = transition('payout_sent', 'payout_sent', { needs: ['txId'], main: true });
const take = transition('take', 'processing', { main: true });

beforeEach(() => {
  server.current.on('GET /claims', () => ({ body: { items: [], counts: {}, nextCursor: null } }));
});

async function open(claim: Partial<Claim>, permissions = ['claims.read', 'claims.process']) {
  server.current.on('GET /claims/a', () => ({ body: claimWith(claim) }));
  server.current.on(TRANSITIONS, () => ({ body: claimWith({ ...claim, transitions: [], status: 'paid' }) }));
  await show(<ClaimPanel id="a" onClose={() => undefined} onStep={() => undefined} alone={false} />, { permissions });
  await screen.findByRole('heading', { name: /100001/ });
}

const press = (name: RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));

it('offers the steps the server allows, and nothing without the permission', async () => {
  await open({ transitions: [received, hold] });
  expect(await screen.findByRole('button', { name: /^Payment received/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: /^Hold/ })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Reject/ })).toBeNull();
});

it('says the day of a due time that is not today', async () => {
  await open({ dueAt: '2031-03-02T12:00:00Z' });
  expect(await screen.findByText(/^due: 2\sMar/)).toBeTruthy();
});

it('says whether the customer took new terms, or a late payment went on as agreed', async () => {
  const accepted = (kind: 'customer' | 'system') => ({
    at: '2024-03-28T12:00:00Z',
    action: 'accept' as const,
    from: 'late_payment' as const,
    to: 'paid' as const,
    actor: { kind, name: null },
    reason: null,
    note: null,
  });
  await open({ timeline: [accepted('customer')] as Claim['timeline'] });
  expect(await screen.findByText(/^The customer accepted the new terms/)).toBeTruthy();
  cleanup();
  await open({ timeline: [accepted('system')] as Claim['timeline'] });
  expect(await screen.findByText(/^It goes on as agreed/)).toBeTruthy();
  expect(screen.queryByText(/^The customer accepted/)).toBeNull();
});

it('offers nothing to staff who may only read', async () => {
  await open({ transitions: [received] }, ['claims.read']);
  expect(screen.queryByRole('button', { name: /^Payment received/ })).toBeNull();
});

it('offers no steps of a claim that is assigned to another staff member', async () => {
  await open({ transitions: [received], holder: { id: '2', name: 'Denis' } });
  expect(await screen.findByRole('button', { name: /^Take over/ })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Payment received/ })).toBeNull();
});

it('asks before it takes over the claim of another staff member', async () => {
  const locked = 'POST /claims/a/lock';
  await open({ holder: { id: '2', name: 'Denis' } });
  await screen.findByRole('button', { name: /^Take over/ });
  fireEvent.keyDown(window, { code: 'KeyT' });
  const form = await dialog();
  expect(form.getByText(/^Denis is working on it\./)).toBeTruthy();
  expect(server.current.of(locked)).toHaveLength(0);
  server.current.on(locked, () => ({ body: claimWith({ holder: { id: '1', name: 'Vera' } }) }));
  fireEvent.click(form.getByRole('button', { name: 'Take over' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.current.of(locked)[0]?.query).toEqual({});
  expect(await screen.findByText(/^Assigned to you/)).toBeTruthy();
});

it('locks a claim only while it is free', async () => {
  const locked = 'POST /claims/a/lock';
  await open({});
  await screen.findByRole('button', { name: /^Take/ });
  server.current.on(locked, () => ({ status: 409, body: { code: 'claim_locked', detail: 'Denis has the claim.' } }));
  server.current.on('GET /claims/a', () => ({ body: claimWith({ holder: { id: '2', name: 'Denis' } }) }));
  fireEvent.keyDown(window, { code: 'KeyT' });
  expect(await screen.findByText('Denis has the claim.')).toBeTruthy();
  expect(server.current.of(locked)[0]?.query).toEqual({ ifFree: 'true' });
  expect(await screen.findByRole('button', { name: /^Take over/ })).toBeTruthy();
});

it('takes a claim into work at once, with the revision that was read', async () => {
  await open({ status: 'paid', transitions: [take] });
  fireEvent.click(await screen.findByRole('button', { name: /^Take into work/ }));
  await waitFor(() => expect(server.current.of(TRANSITIONS)).toHaveLength(1));
  expect(server.current.of(TRANSITIONS)[0]?.body).toEqual({ action: 'take', revision: 4 });
});

it('keeps the new state when an older answer comes late', async () => {
  await open({ status: 'paid', transitions: [take] });
  const paid = claimWith({ status: 'paid', transitions: [take] });
  const processing = claimWith({ status: 'processing', transitions: [payout] });
  // Refused once, so that the claim is read again.
  server.current.on(TRANSITIONS, () => ({ status: 409, body: { code: 'claim_changed' } }));
  let answerLate = () => {};
  const late = new Promise<{ body: Claim }>((resolve) => {
    answerLate = () => resolve({ body: paid });
  });
  server.current.on('GET /claims/a', () => late);
  fireEvent.click(await screen.findByRole('button', { name: /^Take into work/ }));
  await waitFor(() => expect(server.current.of('GET /claims/a')).toHaveLength(2));
  server.current.on(TRANSITIONS, () => ({ body: processing }));
  server.current.on('GET /claims/a', () => ({ body: processing }));
  fireEvent.click(await screen.findByRole('button', { name: /^Take into work/ }));
  await screen.findByRole('button', { name: /^Payout sent/ });
  answerLate();
  // What was interrupted is read again.
  await waitFor(() => expect(server.current.of('GET /claims/a')).toHaveLength(3));
  expect(screen.getByRole('button', { name: /^Payout sent/ })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Take into work/ })).toBeNull();
});

it('shows a refund first once it is decided, and after the payout while it only could be', async () => {
  const returned = { amount: '0.1', currency: 'BTC', fee: '0', destination: [], isMissing: false, tx: null };
  await open({ status: 'processing', returned });
  const titles = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
  expect(titles().slice(0, 3)).toEqual(['Incoming', 'Payout', 'What a refund would return']);
  cleanup();
  await open({ status: 'refund_pending', returned });
  expect(titles().slice(0, 2)).toEqual(['Refund', 'Incoming']);
});

it('says who the customer is by the other claims', async () => {
  const email = 'anna@example.com';
  const row = (id: string, more: Partial<Claim>) => claimWith({ id, email, ...more });
  const items = [
    row('a', {}),
    row('b', { status: 'completed' }),
    row('c', { status: 'completed', createdAt: '2023-01-05T12:00:00Z' }),
    row('d', { email: 'other@example.com' }),
  ];
  server.current.on('GET /claims', () => ({ body: { items, counts: {}, nextCursor: null } }));
  await open({});
  expect(await screen.findByText('3 in all, completed: 2, rejected: 0')).toBeTruthy();
  expect(screen.getByText(/^5\sJan/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'All claims of the customer' }).getAttribute('href')).toBe(
    '/claims/a?q=anna%40example.com',
  );
});

it('asks for what a step needs, and shows the new state', async () => {
  const requisitesOut = [{ name: 'card', label: 'Card', value: '4111111111111111', kind: 'card' as const }];
  await open({ status: 'processing', transitions: [payout], requisitesOut });
  await screen.findByRole('button', { name: /^Payout sent/ });
  press(/^Payout sent/);
  const form = await dialog();
  expect(form.getByRole('heading', { name: /1\.5\sETH sent/ })).toBeTruthy();
  expect(form.getByText('Card').nextElementSibling?.textContent).toContain('4111');
  const record = form.getByRole('button', { name: /Record the payout/ });
  fireEvent.click(record);
  expect(await form.findByText('Fill in this field.')).toBeTruthy();
  expect(form.queryByRole('alert')).toBeNull();
  expect(server.current.of(TRANSITIONS)).toHaveLength(0);
  fireEvent.change(form.getByLabelText('Transaction or transfer number'), { target: { value: ' ab12 ' } });
  fireEvent.click(record);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.current.of(TRANSITIONS)[0]?.body).toEqual({ action: 'payout_sent', revision: 4, txId: 'ab12' });
  expect(screen.getByText('The money is here, time to pay out')).toBeTruthy();
});

it('names the other claims with a transaction of the claim', async () => {
  const other = { id: 'b', publicId: 100_002 };
  const shared = [{ txId: 'ab12', claims: [other, { id: 'c', publicId: 100_003 }] }];
  await open({ status: 'payout_sent', txIn: 'f00d', txOut: 'ab12', sharedTransactions: shared });
  expect((await screen.findByRole('link', { name: /100002/ })).getAttribute('href')).toBe('/claims/b');
  const payout = within(screen.getByRole('region', { name: 'Payout' }));
  expect(payout.getByText(/also recorded in claims/).textContent).toMatch(/100002, №\s100003\. Check/);
  expect(within(screen.getByRole('region', { name: 'Incoming' })).queryByText(/also recorded/)).toBeNull();
});

it('warns of a transaction that another claim records before it is recorded again', async () => {
  const own = claimWith({});
  const other = claimWith({ id: 'b', publicId: 100_002 });
  await open({ status: 'processing', transitions: [payout] });
  server.current.on('GET /claims', ({ query }) => ({
    body: { items: query.transaction === 'ab12' ? [own, other] : [], counts: {}, nextCursor: null },
  }));
  await screen.findByRole('button', { name: /^Payout sent/ });
  press(/^Payout sent/);
  const form = await dialog();
  const field = form.getByLabelText('Transaction or transfer number');
  fireEvent.change(field, { target: { value: ' ab12 ' } });
  const warning = await form.findByRole('alert');
  expect(warning.textContent).toMatch(/also recorded in claim №\s100002\. Check/);
  expect(within(warning).getByRole('link').getAttribute('target')).toBe('_blank');
  fireEvent.change(field, { target: { value: 'ab13' } });
  await waitFor(() => expect(form.queryByRole('alert')).toBeNull());
  fireEvent.change(field, { target: { value: 'ab12' } });
  await form.findByRole('alert');
  fireEvent.click(form.getByRole('button', { name: /Record the payout/ }));
  await waitFor(() => expect(server.current.of(TRANSITIONS)).toHaveLength(1));
});

it('asks a second person to end a hold, with a note', async () => {
  const release = transition('release_hold', 'paid', { needs: ['note'], consent: true });
  await open({ status: 'on_hold', transitions: [release] });
  expect(screen.queryByText(/This payment is above the limit/)).toBeNull();
  fireEvent.click(await screen.findByRole('button', { name: /^Ask to end the hold/ }));
  const form = await dialog();
  const ask = form.getByRole('button', { name: /Ask for agreement/ });
  fireEvent.click(ask);
  expect(await form.findByText('Fill in this field.')).toBeTruthy();
  fireEvent.change(form.getByLabelText(/^Note/), { target: { value: 'documents seen' } });
  fireEvent.click(ask);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.current.of(TRANSITIONS)[0]?.body).toEqual({
    action: 'release_hold',
    revision: 4,
    note: 'documents seen',
  });
});

it('asks for a number where the amount is something else', async () => {
  await open({
    status: 'payment_claimed',
    transitions: [transition('amount_mismatch', 'amount_mismatch', { needs: ['amount'] })],
  });
  await screen.findByRole('button', { name: /^Different amount/ });
  press(/^Different amount/);
  const form = await dialog();
  const record = form.getByRole('button', { name: /Record the amount/ });
  fireEvent.click(record);
  expect(await form.findByText('Fill in this field.')).toBeTruthy();
  fireEvent.change(form.getByLabelText(/^Received in all/), { target: { value: '1.2.3' } });
  fireEvent.click(record);
  expect(await form.findByText('A number is needed.')).toBeTruthy();
  expect(server.current.of(TRANSITIONS)).toHaveLength(0);
});

it('sends a reason of the list, and the time of the answer', async () => {
  await open({ transitions: [hold] });
  await screen.findByRole('button', { name: /^Hold/ });
  press(/^Hold/);
  const form = await dialog();
  fireEvent.mouseDown(form.getByRole('combobox', { name: 'Reason' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Paid by another person' }));
  fireEvent.click(form.getByRole('button', { name: /^Hold/ }));
  await waitFor(() => expect(server.current.of(TRANSITIONS)).toHaveLength(1));
  expect(server.current.of(TRANSITIONS)[0]?.body).toMatchObject({
    action: 'hold',
    revision: 4,
    reason: 'wrong_sender',
    answerBy: expect.stringMatching(/^\d{4}-/),
  });
});

it('closes the dialog and reads the claim again when it has changed meanwhile', async () => {
  await open({ transitions: [received] });
  await screen.findByRole('button', { name: /^Payment received/ });
  server.current.on(TRANSITIONS, () => ({
    status: 409,
    body: { code: 'claim_changed', detail: 'Somebody else was faster.' },
  }));
  press(/^Payment received/);
  const form = await dialog();
  const before = server.current.of('GET /claims/a').length;
  fireEvent.click(form.getByRole('button', { name: /Yes, they arrived/ }));
  expect(await screen.findByText('Somebody else was faster.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(server.current.of('GET /claims/a').length).toBeGreaterThan(before));
});

it('keeps what was typed while another has the claim, and sends it when it is free', async () => {
  await open({ status: 'processing', transitions: [payout] });
  await screen.findByRole('button', { name: /^Payout sent/ });
  server.current.on(TRANSITIONS, () => ({
    status: 409,
    body: { code: 'claim_locked', detail: 'Denis has the claim.' },
  }));
  const denis = { id: '2', name: 'Denis' };
  server.current.on('GET /claims/a', () => ({
    body: claimWith({ status: 'processing', transitions: [payout], holder: denis, revision: 5 }),
  }));
  press(/^Payout sent/);
  const form = await dialog();
  fireEvent.change(form.getByLabelText('Transaction or transfer number'), { target: { value: 'ab12' } });
  const record = form.getByRole<HTMLButtonElement>('button', { name: /Record the payout/ });
  fireEvent.click(record);
  expect(await form.findByText(/^Assigned to Denis\./)).toBeTruthy();
  await waitFor(() => expect(record.disabled).toBe(true));
  const free = claimWith({ status: 'processing', transitions: [payout], revision: 6 });
  server.current.on('POST /claims/a/lock', () => ({ body: free }));
  server.current.on(TRANSITIONS, () => ({ body: claimWith({ status: 'payout_sent', transitions: [] }) }));
  server.current.on('GET /claims/a', () => ({ body: free }));
  fireEvent.click(form.getByRole('button', { name: /^Take over/ }));
  await waitFor(() => expect(record.disabled).toBe(false));
  expect(form.queryByText(/^Assigned to Denis\./)).toBeNull();
  fireEvent.click(record);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.current.of(TRANSITIONS)[1]?.body).toEqual({ action: 'payout_sent', revision: 6, txId: 'ab12' });
});

it('keeps the dialog with any other refusal', async () => {
  await open({ transitions: [received] });
  await screen.findByRole('button', { name: /^Payment received/ });
  server.current.on(TRANSITIONS, () => ({
    status: 422,
    body: { code: 'not_enough_money', detail: 'The reserve is empty.' },
  }));
  press(/^Payment received/);
  const form = await dialog();
  fireEvent.click(form.getByRole('button', { name: /Yes, they arrived/ }));
  expect(await form.findByText('The reserve is empty.')).toBeTruthy();
});

/** Opens the dialog of the payout. Meanwhile an answer of the server shows the claim as it is now. */
async function payoutMeanwhile(now: Partial<Claim>) {
  await open({ status: 'processing', transitions: [payout] });
  await screen.findByRole('button', { name: /^Payout sent/ });
  press(/^Payout sent/);
  const form = await dialog();
  fireEvent.change(form.getByLabelText('Transaction or transfer number'), { target: { value: 'ab12' } });
  server.current.on('POST /claims/a/lock', () => ({ body: claimWith({ revision: 5, ...now }) }));
  server.current.on('GET /claims/a', () => ({ body: claimWith({ revision: 5, ...now }) }));
  fireEvent.click(screen.getByRole('button', { name: /^Take/, hidden: true }));
  return form;
}

it('holds a payout back until staff have looked at amounts that changed meanwhile', async () => {
  const paidOut = { paid: '0.5', left: '1.0', currency: 'ETH' };
  const form = await payoutMeanwhile({ status: 'payout_partial', transitions: [payout], paidOut });
  expect((await form.findByRole('alert')).textContent).toMatch(/changed while this dialog was open/);
  const record = form.getByRole<HTMLButtonElement>('button', { name: /Record the payout/ });
  expect(record.disabled).toBe(true);
  fireEvent.click(form.getByRole('button', { name: 'Checked again' }));
  expect(form.queryByRole('alert')).toBeNull();
  fireEvent.click(record);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.current.of(TRANSITIONS)[0]?.body).toEqual({ action: 'payout_sent', revision: 5, txId: 'ab12' });
});

it('shows nothing to pay by once another has recorded the payout', async () => {
  const requisitesOut = [{ name: 'card', label: 'Card', value: '4111111111111111', kind: 'card' as const }];
  const complete = transition('complete', 'completed');
  const form = await payoutMeanwhile({ status: 'payout_sent', transitions: [complete], requisitesOut });
  expect((await form.findByRole('alert')).textContent).toMatch(/no longer possible.*“The payout is sent/);
  expect(form.queryByText('Card')).toBeNull();
  expect(form.getByRole<HTMLButtonElement>('button', { name: /Record the payout/ }).disabled).toBe(true);
  // A transaction that was typed in can still be copied.
  expect(form.getByLabelText<HTMLInputElement>('Transaction or transfer number').value).toBe('ab12');
});

it('does not mind a note or a lock while a dialog is open', async () => {
  const form = await payoutMeanwhile({
    status: 'processing',
    transitions: [payout],
    holder: { id: '2', name: 'Denis' },
  });
  expect(await form.findByText(/^Assigned to Denis\./)).toBeTruthy();
  expect(form.queryByText(/changed while/)).toBeNull();
});

it('does not return a payment to an address that changed beneath the dialog', async () => {
  const to = (address: string): Partial<Claim> => ({
    status: 'refund_pending',
    transitions: [transition('refund_sent', 'refund_sent', { needs: ['txId'] })],
    refund: { driver: 'bitcoin-core', address, memo: null, amount: '0.1', underWay: false },
  });
  await open(to('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'), ['claims.read', 'claims.process', 'claims.refund']);
  fireEvent.click(await screen.findByRole('button', { name: /^Return it/ }));
  const form = await dialog();
  const changed = claimWith({ ...to('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'), revision: 5 });
  server.current.on('POST /claims/a/lock', () => ({ body: changed }));
  server.current.on('GET /claims/a', () => ({ body: changed }));
  fireEvent.click(screen.getByRole('button', { name: /^Take/, hidden: true }));
  expect(await form.findByText(/changed while this dialog was open/)).toBeTruthy();
  const send = form.getAllByRole<HTMLButtonElement>('button').find(({ type }) => type === 'submit');
  expect(send?.disabled).toBe(true);
  fireEvent.click(form.getByRole('button', { name: 'Checked again' }));
  expect(send?.disabled).toBe(false);
});
