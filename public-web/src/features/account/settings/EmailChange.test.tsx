// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { createTexts, loadTexts } from '../../../i18n/texts';
import { Root } from '../../../Root';
import { ANNA } from '../../../session/testing';
import { EmailChange } from './EmailChange';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('sends the activation link again to who has not confirmed the address', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    if (address.includes('/reactivate/')) return Response.json({ notification: { title: '', message: 'Отправили' } });
    if (address.includes('/captcha/')) return Response.json({ required: false });
    if (address.includes('/settings/')) return Response.json({ siteName: 'Agio', supportEmail: '', usePublicId: true });
    return Response.json({ technicalMode: { on: false, time: null } });
  });
  const texts = await createTexts('ru');
  await loadTexts(texts, 'account');
  const element = <EmailChange customer={{ ...ANNA, activated: false }} onChanged={() => {}} />;
  const routes = [{ path: '/', element: <Root locale="ru" texts={texts} />, children: [{ path: '/s', element }] }];
  const router = createMemoryRouter(routes, { initialEntries: ['/s'] });
  await act(async () => void render(<RouterProvider router={router} />));
  fireEvent.click(screen.getByRole('button', { name: 'Отправить ещё раз' }));
  expect(await screen.findByText('Отправили')).toBeDefined();
  expect(asked.some((address) => address.endsWith('/users/reactivate/'))).toBe(true);
});
