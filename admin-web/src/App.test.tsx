// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from './App.tsx';
import { live, session } from './api/api.ts';
import { queryClient } from './api/queryClient.ts';
import { i18nProvider } from './i18n/provider.ts';
import { GROUPS } from './layout/screens.ts';
import { fakeServer, signInAnswer } from './testing/console.tsx';

const server = fakeServer();

/** Screens are loaded when they are opened. */
const WAIT = { timeout: 10_000 };

const PERMISSIONS = [
  ...['approvals', 'audit', 'claims', 'contest', 'content', 'customers', 'dashboard', 'discounts', 'mail', 'market'],
  ...['aggregators', 'notices', 'partners', 'payments', 'plugins', 'rates', 'referral', 'requisites', 'reserves'],
  ...['reviews', 'settings', 'staff', 'verification', 'waitlist'],
].map((area) => `${area}.read`);

beforeEach(async () => {
  localStorage.clear();
  // react-admin logs refusals, and this server refuses everything.
  vi.spyOn(console, 'error').mockReturnValue();
  await i18nProvider.changeLocale('en');
});
afterEach(() => {
  cleanup();
  live.stop();
  queryClient.clear();
});

const openAt = (path: string) =>
  render(
    <RouterProvider
      router={createMemoryRouter([{ path: '*', element: <App /> }], { initialEntries: [path] })}
      useTransitions={false}
    />,
  );

describe('the console', { timeout: 20_000 }, () => {
  const paths = GROUPS.flatMap((group) => group.screens.map(({ path }) => path));
  it.each([...paths, '/security'])('opens %s under one heading', async (path) => {
    session.enter(signInAnswer(...PERMISSIONS));
    openAt(path);
    const headings = await screen.findAllByRole('heading', { level: 1 }, WAIT);
    expect(headings).toHaveLength(1);
    expect(headings[0]?.textContent).not.toBe('This section is not open to you');
  });

  it('opens one record of a resource', async () => {
    session.enter(signInAnswer(...PERMISSIONS));
    openAt('/partners/7');
    expect(await screen.findByRole('link', { name: 'All partners' }, WAIT)).toBeTruthy();
    expect(server.current.of('GET /partners/7').length).toBeGreaterThan(0);
    expect(server.current.of('GET /partners')).toHaveLength(0);
  });

  it('leads the keyboard past the bar and the menu', async () => {
    session.enter(signInAnswer(...PERMISSIONS));
    openAt('/staff');
    fireEvent.click(await screen.findByRole('button', { name: 'Skip to content' }, WAIT));
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('says so where there is nothing', async () => {
    session.enter(signInAnswer(...PERMISSIONS));
    openAt('/nowhere');
    expect((await screen.findByRole('heading', { level: 1 }, WAIT)).textContent).toBe('There is no such section');
    expect(screen.getByRole('link', { name: 'To the overview' }).getAttribute('href')).toBe('/');
  });

  it('says so where the permission is missing', async () => {
    session.enter(signInAnswer('claims.read'));
    openAt('/staff');
    expect(await screen.findByRole('heading', { name: 'This section is not open to you' }, WAIT)).toBeTruthy();
    expect(server.current.of('GET /staff')).toHaveLength(0);
  });

  it('asks to sign in where there is no session', async () => {
    session.close();
    openAt('/staff');
    expect(await screen.findByRole('heading', { name: 'Sign in to the console' }, WAIT)).toBeTruthy();
  });
});
