// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { session } from '../api/index.ts';
import { fakeServer, show, signInAnswer } from '../testing/console.tsx';
import { SignIn } from './SignIn.tsx';

const server = fakeServer();
const LOGIN = 'POST /auth/login';

async function fillIn() {
  await show(<SignIn />);
  fireEvent.change(screen.getByLabelText('Email'), { target: { value: ' vera@agio.example ' } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

it('signs in with email and password', async () => {
  server.current.on(LOGIN, () => ({ body: signInAnswer() }));
  await fillIn();
  await waitFor(() => expect(server.current.of(LOGIN)).toHaveLength(1));
  expect(server.current.of(LOGIN)[0]?.body).toEqual({ email: 'vera@agio.example', password: 'secret' });
  expect(screen.queryByRole('alert')).toBeNull();
});

it('shows why it was refused', async () => {
  server.current.on(LOGIN, () => ({ status: 401, body: { code: 'wrong_credentials', detail: 'Wrong password.' } }));
  await fillIn();
  expect((await screen.findByRole('alert')).textContent).toBe('Wrong password.');
  expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', false);
});

it('asks for the second factor where the account has one', async () => {
  server.current.on(LOGIN, ({ body }) =>
    (body as { otp?: string }).otp === '123456'
      ? { body: signInAnswer() }
      : { status: 401, body: { code: 'otp_required', detail: 'Enter the code.' } },
  );
  await fillIn();
  await screen.findByRole('heading', { name: 'Code to sign in' });
  const code = screen.getByRole('textbox');
  expect(screen.queryByRole('alert')).toBeNull();
  fireEvent.change(code, { target: { value: '123456' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(server.current.of(LOGIN)).toHaveLength(2));
  expect(server.current.of(LOGIN)[1]?.body).toMatchObject({ otp: '123456' });
});

it('says that the session has ended, until somebody signs in', async () => {
  server.current.on('POST /auth/refresh', () => ({ status: 401, body: { code: 'token_not_valid' } }));
  await show(<SignIn />);
  expect(screen.queryByText(/session has ended/)).toBeNull();
  await session.refresh();
  expect(await screen.findByText('Your session has ended. Sign in to go on where you were.')).toBeTruthy();
  session.enter(signInAnswer());
  await waitFor(() => expect(screen.queryByText(/session has ended/)).toBeNull());
});
