// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import NewsScreen from './NewsScreen.tsx';
import { PostScreen } from './PostScreen.tsx';

const server = fakeServer();

const text = (title: string) => ({ title, description: '', markdown: 'Text\n' });
const post = (version: number, state: 'draft' | 'published') => ({
  id: '7',
  slug: 'summer-hours',
  state,
  version,
  title: { ru: 'Летние часы', en: 'Summer hours' },
  savedBy: 'Vera',
  savedAt: '2024-03-28T12:00:00Z',
  publishedAt: state === 'published' ? '2024-03-28T12:00:00Z' : null,
});
const details = (version: number, state: 'draft' | 'published') => ({
  post: post(version, state),
  ru: text('Летние часы'),
  en: text('Summer hours'),
});

beforeEach(() => {
  server.current.on('GET /news', () => ({ body: { items: [post(1, 'draft')], nextCursor: null } }));
  server.current.on('GET /news/7', () => ({ body: details(1, 'draft') }));
  server.current.on('POST /news/preview', () => ({ body: { title: 'T', description: '', html: '<p>Shown</p>' } }));
});

it('creates a draft whose address is made from the English heading', async () => {
  server.current.on('POST /news', () => ({ status: 201, body: details(1, 'draft') }));
  await show(<NewsScreen />, { permissions: ['content.read', 'content.change'] });
  fireEvent.click(await screen.findByRole('button', { name: 'New post' }));
  const dialog = within(screen.getByRole('dialog', { name: 'New post' }));
  fireEvent.change(dialog.getByLabelText('Heading in Russian'), { target: { value: 'Летние часы' } });
  fireEvent.change(dialog.getByLabelText('Heading in English'), { target: { value: 'Summer hours!' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Create a draft' }));
  await waitFor(() => expect(server.current.of('POST /news')).toHaveLength(1));
  const sent = server.current.of('POST /news')[0];
  expect(sent?.body).toMatchObject({ slug: 'summer-hours', state: 'draft', en: { title: 'Summer hours!' } });
  expect(sent?.key).toBeTruthy();
});

it('offers no new post to those who only read', async () => {
  await show(<NewsScreen />, { permissions: ['content.read'] });
  expect(await screen.findByRole('link', { name: 'Summer hours' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'New post' })).toBeNull();
});

it('publishes what was written over the version that was shown', async () => {
  server.current.on('PUT /news/7', () => ({ body: details(2, 'published') }));
  await show(<PostScreen id="7" />, { permissions: ['content.read', 'content.change'] });
  fireEvent.change(await screen.findByLabelText('Heading'), { target: { value: 'Winter hours' } });
  fireEvent.click(screen.getByRole('button', { name: 'Publish' }));
  expect(await screen.findByText('The post is on the site')).toBeTruthy();
  expect(server.current.of('PUT /news/7')[0]?.body).toEqual({
    over: 1,
    state: 'published',
    ru: text('Летние часы'),
    en: text('Winter hours'),
  });
});

it('keeps what was written while another screen is looked at, over the version it was written for', async () => {
  const permissions = ['content.read', 'content.change'];
  const { unmount } = await show(<PostScreen id="7" />, { permissions });
  fireEvent.change(await screen.findByLabelText('Heading'), { target: { value: 'Autumn hours' } });
  unmount();
  server.current.on('GET /news/7', () => ({ body: details(2, 'draft') }));
  server.current.on('PUT /news/7', () => ({ status: 409, body: { code: 'stale' } }));
  await show(<PostScreen id="7" />, { permissions });
  expect(await screen.findByLabelText('Heading')).toHaveProperty('value', 'Autumn hours');
  fireEvent.click(await screen.findByRole('button', { name: 'Save the draft' }));
  await waitFor(() => expect(server.current.of('PUT /news/7')).toHaveLength(1));
  expect(server.current.of('PUT /news/7')[0]?.body).toMatchObject({ over: 1, en: { title: 'Autumn hours' } });
});

it('shows a refusal at its field', async () => {
  server.current.on('PUT /news/7', () => ({
    status: 422,
    body: { code: 'validation_failed', errors: { 'en.title': [{ code: 'required', message: 'Fill in this field.' }] } },
  }));
  await show(<PostScreen id="7" />, { permissions: ['content.read', 'content.change'] });
  fireEvent.change(await screen.findByLabelText('Heading'), { target: { value: '' } });
  fireEvent.click(screen.getByRole('button', { name: 'Publish' }));
  expect((await screen.findAllByText('Fill in this field.')).length).toBeGreaterThan(0);
});
