// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { SetupChecklist } from './SetupChecklist.tsx';
import { SetupGuide } from './SetupGuide.tsx';

const server = fakeServer();
const setup = (completed: boolean) => ({
  steps: [
    { step: 'second_factor', done: true },
    { step: 'currencies', done: completed },
    { step: 'first_exchange', done: completed },
  ],
  completed,
});
const open = (...permissions: string[]) => show(<SetupChecklist />, { permissions });

beforeEach(() => {
  localStorage.clear();
  server.current.on('GET /setup', () => ({ body: setup(false) }));
});

it('lists the steps with where each is done, and can be hidden in this browser', async () => {
  const { unmount } = await open('settings.edit');
  const items = (await screen.findAllByRole('listitem')).map((item) => item.textContent);
  expect(items).toEqual([
    'Done: Protect your sign-in with a second factor',
    'Still to do: Add currencies',
    'Still to do: Make the first exchange yourself on the site',
  ]);
  expect(screen.getByRole('link', { name: 'Add currencies' }).getAttribute('href')).toBe('/currencies?new');
  expect(screen.getByText('1 of 3 done')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Hide in this browser' }));
  expect(screen.queryByRole('list')).toBeNull();
  unmount();
});

it('is gone once everything is done', async () => {
  server.current.on('GET /setup', () => ({ body: setup(true) }));
  await open('settings.edit');
  await waitFor(() => expect(server.current.of('GET /setup')).toHaveLength(1));
  expect(screen.queryByRole('list')).toBeNull();
});

it('is not read by staff who may not change settings', async () => {
  await open('settings.read');
  expect(server.current.of('GET /setup')).toHaveLength(0);
});

it('begins by itself for who may set up an empty exchange, once', async () => {
  const both = (
    <>
      <SetupGuide />
      <SetupChecklist />
    </>
  );
  await show(both, { permissions: ['settings.edit'] });
  expect(await screen.findByText('Step 2 of 3')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Open the step' })).toBeNull();
  fireEvent.click(screen.getByRole('link', { name: 'Protect your sign-in with a second factor' }));
  expect(screen.getByRole('link', { name: 'Open the step' }).getAttribute('href')).toBe('/currencies?new');
  fireEvent.click(screen.getByRole('button', { name: 'Leave the guide' }));
  expect(await screen.findByRole('button', { name: 'Guide me' })).toBeTruthy();
  expect(screen.queryByText('Step 2 of 3')).toBeNull();
});

it('says which base currency is set', async () => {
  const steps = [{ step: 'base_currency', done: false }, ...setup(false).steps];
  server.current.on('GET /setup', () => ({ body: { steps, completed: false } }));
  server.current.on('GET /settings', () => ({ body: [{ key: 'rates.base', value: 'EUR' }] }));
  await show(<SetupGuide />, { permissions: ['settings.edit'] });
  expect(await screen.findByText(/counted in the base currency: EUR\./)).toBeTruthy();
});

it('leads from step to step: what is not done can be skipped', async () => {
  const both = (
    <>
      <SetupGuide />
      <SetupChecklist />
    </>
  );
  await show(both, { permissions: ['settings.edit'] });
  expect((await screen.findByRole('status')).textContent).toContain('Add currencies');
  expect(screen.getByText('Step 2 of 3')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Guide me' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(screen.getByRole('status').textContent).toContain('Done: Protect your sign-in');
  fireEvent.click(screen.getByRole('button', { name: 'Next step' }));
  fireEvent.click(screen.getByRole('button', { name: 'Skip for now' }));
  expect(screen.getByText('Step 3 of 3')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open the site' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Leave the guide' }));
  expect(screen.queryByText('Step 3 of 3')).toBeNull();
});

it('has one main button when a step is done: the next step', async () => {
  const both = (
    <>
      <SetupGuide />
      <SetupChecklist />
    </>
  );
  await show(both, { permissions: ['settings.edit'] });
  fireEvent.click(await screen.findByRole('button', { name: 'Back' }));
  fireEvent.click(screen.getByRole('link', { name: 'Add currencies' }));
  const next = screen.getByRole('button', { name: 'Next step' });
  const open = screen.getByRole('link', { name: 'Open the step' });
  expect([next, open].map(({ className }) => className.includes('MuiButton-contained'))).toEqual([true, false]);
});
