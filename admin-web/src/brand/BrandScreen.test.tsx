// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import BrandScreen from './BrandScreen.tsx';

const server = fakeServer();
const texts = { ru: '', en: '' };
const brand = {
  siteName: 'Agio',
  languages: ['ru', 'en'],
  supportEmail: 'support@example.com',
  description: texts,
  accent: '',
  accentDark: '',
  typeface: 'geologica',
  telegram: '',
  phone: '',
  workWeek: { timeZone: '', days: [] },
  hours: texts,
  note: texts,
  links: [],
  logoHasName: false,
  showsSoftware: false,
};

beforeEach(() => {
  server.current.on('GET /brand', () => ({ body: { revision: 3, brand, pictures: [] } }));
});

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

it('shows the change and its contrast before it is saved, and sends the whole of it with its revision', async () => {
  await show(<BrandScreen />, { permissions: ['settings.read', 'settings.edit'] });
  const preview = within(await screen.findByRole('complementary', { name: 'Preview' }));
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Save' })).disabled).toBe(true);
  type('Name of the exchange', 'Obmen');
  type('Accent', '#fde68a');
  expect(preview.getAllByText('Obmen')).toHaveLength(2);
  expect(preview.getByText('accent on the page 1.10:1').className).not.toBe('');
  type('Accent', '#0f766e');
  expect(preview.getAllByText('text on the accent 5.47:1')).toHaveLength(2);
  server.current.on('PUT /brand', () => ({ body: { revision: 4, brand, pictures: [] } }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of('PUT /brand')).toHaveLength(1));
  const sent = { ...brand, siteName: 'Obmen', accent: '#0f766e' };
  expect(server.current.of('PUT /brand')[0]?.body).toEqual({ revision: 3, brand: sent });
});

it('keeps the draft while another screen is looked at, over what others saved meanwhile', async () => {
  const permissions = ['settings.read', 'settings.edit'];
  const { unmount } = await show(<BrandScreen />, { permissions });
  await screen.findByText('Accent colour');
  type('Name of the exchange', 'Obmen');
  unmount();
  server.current.on('GET /brand', () => ({
    body: { revision: 4, brand: { ...brand, phone: '+7 900' }, pictures: [] },
  }));
  await show(<BrandScreen />, { permissions });
  await screen.findByText('Accent colour');
  await waitFor(() => expect(field('Phone').value).toBe('+7 900'));
  expect(field('Name of the exchange').value).toBe('Obmen');
  fireEvent.click(screen.getByRole('button', { name: 'Put back' }));
  expect(field('Name of the exchange').value).toBe('Agio');
});

it('shows the preview in the typeface that is chosen, and sends it', async () => {
  await show(<BrandScreen />, { permissions: ['settings.read', 'settings.edit'] });
  const preview = within(await screen.findByRole('complementary', { name: 'Preview' }));
  const choice = await screen.findByRole('combobox', { name: /^Typeface of the site/ });
  fireEvent.mouseDown(choice);
  fireEvent.click(screen.getByRole('option', { name: 'Golos Text' }));
  for (const name of preview.getAllByText('Agio')) {
    expect(name.closest('div')?.style.fontFamily).toContain('Golos Text');
  }
  server.current.on('PUT /brand', () => ({ body: { revision: 4, brand, pictures: [] } }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of('PUT /brand')).toHaveLength(1));
  expect(server.current.of('PUT /brand')[0]?.body).toEqual({
    revision: 3,
    brand: { ...brand, typeface: 'golos-text' },
  });
});

it('shows refusals at their fields, also of a link', async () => {
  await show(<BrandScreen />, { permissions: ['settings.read', 'settings.edit'] });
  fireEvent.click(await screen.findByRole('button', { name: 'Add a link' }));
  type('Label', 'Channel');
  const errors = {
    accent: [{ code: 'accent_too_pale', message: 'Too pale for the light theme: contrast 1.10:1' }],
    'links.0.url': [{ code: 'brand_url', message: 'Enter a full address' }],
  };
  server.current.on('PUT /brand', () => ({
    status: 422,
    body: { code: 'validation_failed', detail: 'Check', errors },
  }));
  type('Accent', '#fde68a');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Too pale for the light theme: contrast 1.10:1')).toBeTruthy();
  expect(field('Address').getAttribute('aria-invalid')).toBe('true');
  expect(field('Accent').value, 'what was typed stays').toBe('#fde68a');
});

it('sends the hours of all seven days once one of them is entered, in the time zone of the browser', async () => {
  await show(<BrandScreen />, { permissions: ['settings.read', 'settings.edit'] });
  fireEvent.change(await screen.findByLabelText('Tuesday, from'), { target: { value: '09:00' } });
  fireEvent.change(screen.getByLabelText('Tuesday, to'), { target: { value: '21:00' } });
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  server.current.on('PUT /brand', () => ({
    status: 422,
    body: {
      code: 'validation_failed',
      detail: 'Check',
      errors: { 'workWeek.days.1.to': [{ code: 'work_time', message: 'Enter hours and minutes' }] },
    },
  }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Enter hours and minutes')).toBeTruthy();
  const [sent] = server.current.of('PUT /brand') as { body: { brand: unknown } }[];
  const off = { from: '', to: '' };
  const days = [off, { from: '09:00', to: '21:00' }, off, off, off, off, off];
  expect(sent?.body.brand).toEqual({ ...brand, workWeek: { timeZone, days } });
  expect(screen.getByLabelText('Tuesday, to').getAttribute('aria-invalid')).toBe('true');
});

it('is read-only for those who may not change settings', async () => {
  await show(<BrandScreen />, { permissions: ['settings.read'] });
  await screen.findByText('Accent colour');
  expect(field('Name of the exchange').disabled).toBe(true);
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Upload' })).toBeNull();
});
