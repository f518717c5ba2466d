// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { LocaleContext } from '../../i18n/locale';
import { createTexts, loadTexts, TextsContext } from '../../i18n/texts';
import { Component } from './RatesPage';

const NOTE = /the first 400 directions/;

async function openWith(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => `<tr data-codes="C${at}"><td>Coin ${at}</td></tr>`).join('');
  vi.stubGlobal('fetch', async () => new Response(`<table><tbody data-block="rates">${rows}</tbody></table>`));
  const texts = await createTexts('en');
  await loadTexts(texts, 'rates');
  const router = createMemoryRouter([{ path: '/en/rates', element: <Component /> }], {
    initialEntries: ['/en/rates'],
  });
  render(
    <TextsContext value={texts}>
      <LocaleContext value="en">
        <RouterProvider router={router} />
      </LocaleContext>
    </TextsContext>,
  );
  await screen.findByText(`Coin ${count - 1}`);
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says that there are more directions than the table holds', async () => {
  await openWith(400);
  expect(await screen.findByText(NOTE)).toBeTruthy();
});

it('says nothing where the table is whole', async () => {
  await openWith(2);
  expect(screen.queryByText(NOTE)).toBeNull();
});
