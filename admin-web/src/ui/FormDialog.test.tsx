// @vitest-environment happy-dom
import { onlineManager } from '@tanstack/react-query';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Link, Route, Routes } from 'react-router';
import { expect, it, vi } from 'vitest';
import { api } from '../api/api.ts';
import { fakeServer, show } from '../testing/console.tsx';
import { Field } from './Field.tsx';
import { FormDialog } from './FormDialog.tsx';

const server = fakeServer();
const ADD = 'POST /partners';

const onClose = vi.fn();
const onDone = vi.fn();

const dialog = (
  <FormDialog
    title="New partner"
    initial={{ name: '', email: '', callbackUrl: '' }}
    isReady={({ name }) => name !== ''}
    save={(body, once) => api.POST('/partners', { ...once, body })}
    done="Partner added"
    stale={['/partners']}
    onDone={onDone}
    onClose={onClose}
  >
    {({ field }) => (
      <>
        <Field label="Name" {...field('name')} />
        <Field label="Email" {...field('email')} />
      </>
    )}
  </FormDialog>
);

async function open() {
  onClose.mockClear();
  onDone.mockClear();
  return await show(
    <Routes>
      <Route
        path="/"
        element={
          <>
            <Link to="/claims">Claims</Link>
            {dialog}
          </>
        }
      />
      <Route path="/claims" element={<p>All claims</p>} />
    </Routes>,
  );
}

const save = () => screen.getByRole('button', { name: 'Save' });
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

it('can be sent once it is filled in, closes and says so', async () => {
  server.current.on(ADD, () => ({ body: { secret: 's' } }));
  await open();
  expect(save()).toHaveProperty('disabled', true);
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByText('Partner added')).toBeTruthy();
  expect(server.current.of(ADD)[0]?.body).toEqual({ name: 'Corner shop', email: '', callbackUrl: '' });
  expect(onClose).toHaveBeenCalledOnce();
  expect(onDone).toHaveBeenCalledOnce();
});

it('names the fields that are blank when it is sent, and sends nothing', async () => {
  server.current.on(ADD, () => ({ body: { secret: 's' } }));
  await show(
    <FormDialog
      title="New partner"
      initial={{ name: ' ', email: '' }}
      required={({ name }) => (name.trim() === '' ? ['name'] : ['name', 'email'])}
      save={(body, once) => api.POST('/partners', { ...once, body: { ...body, callbackUrl: '' } })}
      stale={['/partners']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <Field label="Name" {...field('name')} />
          <Field label="Email" {...field('email')} />
        </>
      )}
    </FormDialog>,
  );
  expect(screen.queryByText('Fill in this field.')).toBeNull();
  fireEvent.click(save());
  const noteOf = (label: string) => screen.getByLabelText(label).getAttribute('aria-describedby');
  expect([noteOf('Name') !== null, noteOf('Email')]).toEqual([true, null]);
  type('Name', 'Corner shop');
  expect([noteOf('Name'), noteOf('Email') !== null]).toEqual([null, true]);
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Enter', ctrlKey: true });
  expect(server.current.of(ADD)).toHaveLength(0);
  type('Email', 'shop@example.com');
  expect(screen.queryByText('Fill in this field.')).toBeNull();
  fireEvent.click(save());
  await waitFor(() => expect(server.current.of(ADD)).toHaveLength(1));
});

it('keeps what was typed when no answer comes, and sends the same again only once', async () => {
  server.current.on(ADD, () => Promise.reject(new TypeError('Failed to fetch')));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByText(/^The server did not answer\. It is unknown whether this was done/)).toBeTruthy();
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Corner shop');
  server.current.on(ADD, () => ({ body: { secret: 's' } }));
  fireEvent.click(save());
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(new Set(server.current.of(ADD).map(({ key }) => key)).size).toBe(1);
});

it('shows a refusal at its field, and beneath the fields what belongs to none', async () => {
  const errors = { email: [{ code: 'invalid', message: 'Not an email address.' }] };
  server.current.on(ADD, () => ({
    status: 422,
    body: { code: 'validation_failed', detail: 'Check the fields.', errors },
  }));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByText('Not an email address.')).toBeTruthy();
  expect(screen.getByLabelText('Email').getAttribute('aria-describedby')).toBeTruthy();
  expect(screen.queryByText('Check the fields.')).toBeNull();
  server.current.on(ADD, () => ({ status: 409, body: { code: 'partner_exists', detail: 'There is one already.' } }));
  fireEvent.click(save());
  expect((await screen.findByRole('alert')).textContent).toBe('There is one already.');
  server.current.on(ADD, () => ({
    status: 422,
    body: { detail: 'Check the fields.', errors: { callbackUrl: [{ code: 'invalid', message: 'Not a URL.' }] } },
  }));
  fireEvent.click(save());
  expect(await screen.findByText('Check the fields.')).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

it('sends one draft with one key, and another draft with another', async () => {
  server.current.on(ADD, () => ({ status: 503, body: { code: 'storage_unavailable', detail: 'Later.' } }));
  await open();
  type('Name', 'Corner shop');
  for (const sent of [1, 2]) {
    fireEvent.click(save());
    await waitFor(() => expect(server.current.of(ADD)).toHaveLength(sent));
    await waitFor(() => expect(save()).toHaveProperty('disabled', false));
  }
  type('Name', 'Corner store');
  fireEvent.click(save());
  await waitFor(() => expect(server.current.of(ADD)).toHaveLength(3));
  const [first, again, changed] = server.current.of(ADD).map(({ key }) => key);
  expect(first).toBeTruthy();
  expect(again).toBe(first);
  expect(changed).not.toBe(first);
});

it('cannot be sent twice at once', async () => {
  let reply: (answer: object) => void = () => undefined;
  server.current.on(ADD, () => new Promise((resolve) => (reply = resolve)));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByRole('button', { name: 'Saving…' })).toHaveProperty('disabled', true);
  await waitFor(() => expect(server.current.of(ADD)).toHaveLength(1));
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Enter', ctrlKey: true });
  reply({ body: {} });
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.current.of(ADD)).toHaveLength(1);
});

it('says that a second person decides', async () => {
  server.current.on(ADD, () => ({ status: 202, body: { id: '1' } }));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByText(/Approval requested/)).toBeTruthy();
  expect(onClose).toHaveBeenCalledOnce();
  expect(screen.queryByText('Partner added')).toBeNull();
  expect(onDone).not.toHaveBeenCalled();
});

it('asks before it is left with what was typed', async () => {
  await open();
  const pressEscape = () => fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'Escape' });
  type('Name', 'Corner shop');
  pressEscape();
  fireEvent.click(await screen.findByRole('button', { name: 'Keep editing' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Discard' })).toBeNull());
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Corner shop');
  expect(onClose).not.toHaveBeenCalled();
  pressEscape();
  fireEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(onClose).toHaveBeenCalledOnce();
});

const closePage = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

it('has the browser ask before the page is closed with what was typed', async () => {
  await open();
  expect(closePage()).toBe(true);
  type('Name', 'Corner shop');
  expect(closePage()).toBe(false);
});

it('has the browser ask while something is being sent, and tells a refusal when its screen was left', async () => {
  let reply: (answer: object) => void = () => undefined;
  server.current.on(ADD, () => new Promise((resolve) => (reply = resolve)));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  await waitFor(() => expect(server.current.of(ADD)).toHaveLength(1));
  expect(closePage()).toBe(false);
  fireEvent.click(screen.getByText('Claims'));
  expect(await screen.findByText('All claims')).toBeTruthy();
  reply({ status: 409, body: { code: 'conflict', detail: 'Another partner has this name.' } });
  expect(await screen.findByText('Your last change was not made. Another partner has this name.')).toBeTruthy();
});

it('closes at once when nothing was typed', async () => {
  await open();
  fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'Escape' });
  expect(onClose).toHaveBeenCalledOnce();
});

it('cannot be left while it is being sent', async () => {
  let reply: (answer: object) => void = () => undefined;
  server.current.on(ADD, () => new Promise((resolve) => (reply = resolve)));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  await waitFor(() => expect(server.current.of(ADD)).toHaveLength(1));
  expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
  fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'Escape' });
  expect(screen.queryByRole('button', { name: 'Discard' })).toBeNull();
  expect(onClose).not.toHaveBeenCalled();
  reply({ body: {} });
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

it('is refused at once without a network, and sends nothing when it is back', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  onlineManager.setOnline(false);
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  await open();
  type('Name', 'Corner shop');
  fireEvent.click(save());
  expect(await screen.findByText('Connection lost, nothing was sent.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  vi.stubGlobal('fetch', server.current.fetch);
  vi.restoreAllMocks();
  onlineManager.setOnline(true);
  await new Promise((resolve) => setTimeout(resolve));
  expect(server.current.of(ADD)).toHaveLength(0);
});

it('asks before the way back takes away what was typed, and stays or goes', async () => {
  const { router } = await open();
  await router.navigate('/claims');
  await router.navigate('/');
  type('Name', 'Rook');
  await router.navigate(-1);
  fireEvent.click(await screen.findByRole('button', { name: 'Keep editing' }));
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Rook');
  await router.navigate(-1);
  fireEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(await screen.findByText('All claims')).toBeTruthy();
});
