// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { createTexts, loadTexts } from '../../i18n/texts';
import { Root } from '../../Root';
import { RouteError } from '../error/ErrorPage';
import { Component as HomePage } from './HomePage';

const currency = (id: number, code: string, ticker: string, kind: string, roundCalculator: number) => ({
  id,
  code,
  name: code,
  ticker,
  network: code,
  kind,
  icon: ticker.toLowerCase(),
  roundCalculator,
  send: true,
  receive: true,
  position: id,
});

const BTC = currency(1, 'BTC', 'BTC', 'crypto', 8);
const USDT = currency(2, 'USDTTRC20', 'USDT', 'crypto', 2);
const SBER = currency(3, 'SBERRUB', 'RUB', 'bank', 2);
const SEPA = currency(4, 'SEPAEUR', 'EUR', 'bank', 2);

const RECEIVABLE: Record<string, number[]> = { '1': [SBER.id, SEPA.id], '2': [SEPA.id], '3': [BTC.id, USDT.id] };

function pairOf(from: string, to: string) {
  const all = [BTC, USDT, SBER, SEPA];
  const side = (id: string) => ({ currency: all[Number(id) - 1], network: '', input: [] });
  const fee = { fixed: '0', percent: '0' };
  return {
    course: '100',
    bonus: '0',
    bonuses: [],
    bonusCut: null,
    promo: null,
    notify: null,
    from: { min: '2', max: '500', roundCalculator: 2, notify: null },
    to: { min: '200', max: '50000', roundCalculator: 2, notify: null },
    structure: { from: side(from), to: side(to) },
    quote: { id: `${from}-${to}`, expiresAt: new Date(Date.now() + 600_000).toISOString(), signature: '' },
    fees: { from: fee, to: fee },
    tiers: [],
    reserve: '50000',
    hold: 20,
    floating: false,
    ratesOf: null,
    source: { kind: 'market', text: '' },
    explanation: '',
  };
}

/** A server with a small market; says what it was asked. */
function serve(preset: { fromCurrencyId: number; toCurrencyId: number }, broken = false): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    if (address.endsWith('/content/rules/')) {
      return Response.json({
        page: 'rules',
        title: 'Правила обмена',
        html: '<p>Одна заявка, один обмен.</p>',
        version: 2,
      });
    }
    const path = address.replace(/^(\/en)?\/api\/v1\/calculator\//, '');
    const [, from] = /^from\/(\d+)\/$/.exec(path) ?? [];
    const [, sent, received] = /^pair\/(\d+)\/(\d+)\/$/.exec(path) ?? [];
    if (path === '') {
      return broken ? Response.json({}, { status: 503 }) : Response.json({ directions: [BTC, USDT, SBER, SEPA] });
    }
    if (path === 'from/') {
      return Response.json([BTC.id, USDT.id, SBER.id]);
    }
    if (from) {
      return Response.json(RECEIVABLE[from]);
    }
    if (sent && received) {
      return Response.json(pairOf(sent, received));
    }
    if (path.startsWith('settings/')) {
      return Response.json({ exchangeAttributes: preset, siteName: 'Agio', supportEmail: 'help@example.com' });
    }
    return path === 'tech/' ? Response.json({ technicalMode: { on: false, time: null } }) : Response.json([]);
  });
  return asked;
}

async function open(address = '/') {
  const texts = await createTexts('ru');
  await loadTexts(texts, 'home');
  const children = [{ index: true, element: <HomePage />, errorElement: <RouteError /> }];
  const router = createMemoryRouter([{ path: '/', element: <Root locale="ru" texts={texts} />, children }], {
    initialEntries: [address],
  });
  await act(async () => {
    render(<RouterProvider router={router} />);
  });
}

const heading = () => screen.getByRole('heading', { level: 1 }).textContent;
const sendField = () => screen.getByLabelText<HTMLInputElement>(/^Отдаёте, /, { selector: 'input' });
const receiveField = () => screen.getByLabelText<HTMLInputElement>(/^Получаете, /, { selector: 'input' });

async function pick(side: 'Отдаёте' | 'Получаете', code: string) {
  fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${side}:`) }));
  fireEvent.change(await screen.findByRole('combobox'), { target: { value: code } });
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' });
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('the calculator', () => {
  it('begins with the currencies the address asks for', async () => {
    const asked = serve({ fromCurrencyId: SBER.id, toCurrencyId: USDT.id });
    await open('/?cur_from=SBERRUB&cur_to=USDTTRC20');
    await waitFor(() => expect(heading()).toContain('SBERRUB на USDTTRC20'));
    expect(asked).toContain('/api/v1/calculator/settings/?cur_from=SBERRUB&cur_to=USDTTRC20');
  });

  it('takes the first receivable currency when the chosen one is not allowed any more', async () => {
    const asked = serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
    await open();
    await waitFor(() => expect(heading()).toContain('BTC на SBERRUB'));
    await pick('Отдаёте', 'USDTTRC20');
    await waitFor(() => expect(heading()).toContain('USDTTRC20 на SEPAEUR'));
    await waitFor(() => expect(asked).toContain('/api/v1/calculator/pair/2/4/'));
  });

  it('keeps the receivable currency while it is allowed', async () => {
    serve({ fromCurrencyId: BTC.id, toCurrencyId: SEPA.id });
    await open();
    await waitFor(() => expect(heading()).toContain('BTC на SEPAEUR'));
    await pick('Отдаёте', 'USDTTRC20');
    await waitFor(() => expect(heading()).toContain('USDTTRC20 на SEPAEUR'));
  });

  it('computes the other side while the customer types, either way', async () => {
    serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    fireEvent.change(sendField(), { target: { value: '12,5' } });
    expect(receiveField().value).toBe('1\u00a0250,00');
    fireEvent.change(receiveField(), { target: { value: '3000' } });
    expect(sendField().value).toBe('30');
  });

  it('moves an amount into its limits when the field is left, says so, and gives it back', async () => {
    serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    fireEvent.change(sendField(), { target: { value: '1' } });
    expect(sendField().value).toBe('1');
    fireEvent.blur(sendField());
    expect(sendField().value).toBe('2');
    expect(screen.getByText(/Минимум 2/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Вернуть 1' }));
    expect(sendField().value).toBe('1');
  });
});

it('opens the rules where it asks to agree to them', async () => {
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
  await open();
  fireEvent.click(await screen.findByText('правила обмена'));
  expect(await screen.findByRole('heading', { name: 'Правила обмена' })).toBeTruthy();
  expect(await screen.findByText('Одна заявка, один обмен.')).toBeTruthy();
});

it('without directions there is an error page with the way home and the support e-mail', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id }, true);
  await open();
  expect(await screen.findByText('Something went wrong')).toBeTruthy();
  expect(screen.getByText('Calculator directions fetch error')).toBeTruthy();
  expect(screen.getAllByText('help@example.com').length).toBeGreaterThan(0);
  expect(screen.getByRole('link', { name: 'На главную' }).getAttribute('href')).toBe('/');
  vi.restoreAllMocks();
});
