// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { createTexts, loadTexts } from '../../i18n/texts';
import { Root } from '../../Root';
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
    from: { min: '2', max: '500', step: null, roundCalculator: 2, notify: null },
    to: { min: '200', max: '50000', step: null, roundCalculator: 2, notify: null },
    structure: { from: side(from), to: side(to) },
    quote: { id: `${from}-${to}`, expiresAt: new Date(Date.now() + 600_000).toISOString(), signature: '' },
    fees: { from: fee, to: fee, network: null },
    tiers: [],
    reserve: '50000',
    hold: 20,
    holdMinutes: 20,
    floating: null,
    verification: null,
    customerTerms: null,
    ratesOf: null,
    cities: [],
    source: { kind: 'market', text: '' },
    explanation: '',
  };
}

/** A server with a small market, which records its requests. */
function serve(
  preset: { fromCurrencyId: number; toCurrencyId: number },
  {
    broken = false,
    pair = {},
    market = { isOpen: true },
    claimsPaused = () => false,
    isLost = () => false,
  }: {
    broken?: boolean;
    pair?: object;
    market?: { isOpen: boolean };
    claimsPaused?: () => boolean;
    isLost?: (address: string) => boolean;
  } = {},
): string[] {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address);
    if (isLost(address)) throw new TypeError('Failed to fetch');
    if (address.endsWith('/content/rules/')) {
      return Response.json({
        page: 'rules',
        title: 'Правила обмена',
        html: '<p>Одна заявка, один обмен.</p>',
        version: 2,
      });
    }
    if (address.includes('/claim/availability/')) {
      return Response.json({ available: true, minAmount: null, maxAmount: null });
    }
    const path = address.replace(/^(\/en)?\/api\/v1\/calculator\//, '');
    const [, from] = /^from\/(\d+)\/$/.exec(path) ?? [];
    const [, sent, received] = /^pair\/(\d+)\/(\d+)\/$/.exec(path) ?? [];
    if (path === '') {
      return broken ? Response.json({}, { status: 503 }) : Response.json({ directions: [BTC, USDT, SBER, SEPA] });
    }
    if (path === 'from/') return Response.json(market.isOpen ? [BTC.id, USDT.id, SBER.id] : []);
    if (from) return Response.json(RECEIVABLE[from]);
    if (sent && received) return Response.json({ ...pairOf(sent, received), ...pair });
    if (path.startsWith('settings/')) {
      return Response.json({ exchangeAttributes: preset, siteName: 'Agio', supportEmail: 'help@example.com' });
    }
    const status = { technicalMode: { on: false, time: null }, claimsPaused: claimsPaused() };
    return Response.json(path === 'tech/' ? status : []);
  });
  return requests;
}

async function open(address = '/', isOpening = false) {
  const texts = await createTexts('ru');
  await loadTexts(texts, 'home');
  const children = [{ index: true, element: <HomePage /> }];
  const router = createMemoryRouter(
    [{ path: '/', element: <Root locale="ru" texts={texts} isOpening={isOpening} />, children }],
    {
      initialEntries: [address],
    },
  );
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
  sessionStorage.clear();
});

describe('the calculator', () => {
  it('starts with the currencies of the address', async () => {
    const requests = serve({ fromCurrencyId: SBER.id, toCurrencyId: USDT.id });
    await open('/?cur_from=SBERRUB&cur_to=USDTTRC20');
    await waitFor(() => expect(heading()).toContain('SBERRUB на USDTTRC20'));
    expect(requests).toContain('/api/v1/calculator/settings/?cur_from=SBERRUB&cur_to=USDTTRC20');
  });

  it('calls a card by the label of its number', async () => {
    const currency = { ...SBER, name: 'Сбербанк' };
    const card = {
      name: 'card',
      label: 'Номер карты Сбербанка',
      kind: 'card',
      required: true,
      send: false,
      receive: true,
    };
    const structure = { ...pairOf('1', '3').structure, to: { currency, network: '', input: [card] } };
    serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id }, { pair: { structure } });
    await open();
    await waitFor(() => expect(heading()).toBe('BTC на карту Сбербанка'));
  });

  it('chooses the first possible currency when the chosen one cannot be received any more', async () => {
    const requests = serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
    await open();
    await waitFor(() => expect(heading()).toContain('BTC на SBERRUB'));
    await pick('Отдаёте', 'USDTTRC20');
    await waitFor(() => expect(heading()).toContain('USDTTRC20 на SEPAEUR'));
    await waitFor(() => expect(requests).toContain('/api/v1/calculator/pair/2/4/'));
  });

  it('keeps the received currency while it is possible', async () => {
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

  it('moves an amount into its limits when the field is left, with a message and an undo', async () => {
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

it('numbers each quote differently, also where the signed texts begin alike', async () => {
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  const serials: (string | null)[] = [];
  for (const signature of ['q9-AiziLN2_x', 'E3ek_ZS7fQQ']) {
    serve(PRESET, {
      pair: { quote: { id: 'eyJ2IjoxLCJmcm9t', expiresAt: new Date(Date.now() + 600_000).toISOString(), signature } },
    });
    await open();
    serials.push((await screen.findByText(/^№\s\w/)).textContent);
    cleanup();
  }
  expect(serials).toEqual(['№\u00a0Q9AI\u00a0ZILN', '№\u00a0E3EK\u00a0ZS7F']);
});

describe('before the button', () => {
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  const facts = () => (document.querySelector('dl')?.textContent ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');

  it('shows fees as part of the rate, and names each fixed fee', async () => {
    serve(PRESET);
    await open();
    await waitFor(() => expect(facts()).toContain('уже в курсе'));
    cleanup();
    const network = { payer: 'customer', amount: '5' };
    serve(PRESET, {
      pair: { fees: { from: { fixed: '0.5', percent: '0' }, to: { fixed: '7', percent: '0' }, network } },
    });
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    fireEvent.change(sendField(), { target: { value: '12,5' } });
    expect(receiveField().value).toBe('1\u00a0193,00');
    expect(facts()).toContain('0,5 BTC из платежа');
    expect(facts()).toContain('7 ₽ из выплаты');
    expect(facts()).toContain('с комиссией 1 BTC = 95,44 ₽');
    expect(facts()).not.toContain('уже в курсе');
    expect(await screen.findByText(/Комиссия сети за выплату: 5\s₽, уже вычтена\./)).toBeTruthy();
  });

  it('says that the exchange bears the network fee', async () => {
    const fee = { fixed: '0', percent: '0' };
    serve(PRESET, { pair: { fees: { from: fee, to: fee, network: { payer: 'exchange', amount: '0' } } } });
    await open();
    expect(await screen.findByText('Комиссию сети за выплату платим мы.')).toBeTruthy();
    expect(facts()).toContain('уже в курсе');
  });

  it('shows how long a fixed rate holds', async () => {
    serve(PRESET, { pair: { holdMinutes: 21 } });
    await open();
    await waitFor(() => expect(facts()).toContain('21 минуту'));
    expect(document.querySelector('dl time')).toBeTruthy();
  });

  it('says hours where the rate is held for whole hours', async () => {
    serve(PRESET, { pair: { holdMinutes: 240 } });
    await open();
    expect(await screen.findByText(/4\sчаса/)).toBeTruthy();
  });

  it('shows what fixes a floating rate, without a countdown', async () => {
    const floating = { confirmations: 2, minutes: 30, source: 'Binance', deviationPercent: '-1.5' };
    serve(PRESET, { pair: { floating, verification: 'card' } });
    await open();
    const terms = await screen.findByText(/^Курс плавающий/);
    expect((terms.textContent ?? '').replaceAll('\u00a0', ' ')).toBe(
      'Курс плавающий: закрепим его, когда придёт 2-е подтверждение сети. Возьмём наш курс на тот момент. ' +
        'Сейчас: Binance −1,5 %. Оплатить нужно за 30 мин после подтверждения заявки.',
    );
    expect(screen.getByText(/попросим фото карты/)).toBeTruthy();
    expect(document.querySelector('dl time')).toBeNull();
    cleanup();
    serve(PRESET, { pair: { floating: { ...floating, confirmations: null, deviationPercent: '0' } } });
    await open();
    expect((await screen.findByText(/^Курс плавающий/)).textContent).toMatch(/оператор увидит деньги.*на тот момент\./);
  });
});

describe('while nothing can be exchanged', () => {
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  afterEach(() => vi.useRealTimers());

  it.each([true, false])('says so, and turns into the calculator by itself (delivered so: %s)', async (isOpening) => {
    const title = 'Скоро откроемся';
    const market = { isOpen: false };
    serve(PRESET, { market });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await open('/?cur_from=BTC&cur_to=SBERRUB', isOpening);
    expect(heading()).toBe(title);
    expect(screen.queryByRole('form')).toBeNull();
    expect(screen.getByText(/^Курсы появятся здесь/)).toBeTruthy();
    expect(screen.getByText(/^Резервы появятся здесь/)).toBeTruthy();
    expect(document.querySelector('.skeleton')).toBeNull();

    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(heading()).toBe(title);
    market.isOpen = true;
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(heading()).toContain('BTC на SBERRUB');
    expect(sendField().value).toBe('20');
    expect(screen.queryByText(/^Курсы появятся здесь/)).toBeNull();
  });
});

it('disables its button while new claims are paused, and keeps what was typed', async () => {
  let claimsPaused = true;
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id }, { claimsPaused: () => claimsPaused });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await open();
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Обмен приостановлен' });
  expect(button.disabled).toBe(true);
  fireEvent.change(sendField(), { target: { value: '30' } });
  claimsPaused = false;
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  vi.useRealTimers();
  const enabled = await screen.findByRole<HTMLButtonElement>('button', { name: /^Обменять 30/ });
  expect(enabled.disabled).toBe(false);
});

it.each([
  ['holder', /^Контакт и.плательщик$/],
  ['refundAddress', /^Как с.вами связаться$/],
])('says whose the fields beside the email are (%s)', async (name, title) => {
  const input = { name, label: 'Имя владельца', kind: 'text', required: true, send: true, receive: false };
  const from = { currency: SBER, network: '', input: [input] };
  const structure = { from, to: { currency: BTC, network: '', input: [] } };
  serve({ fromCurrencyId: SBER.id, toCurrencyId: BTC.id }, { pair: { structure } });
  await open();
  expect(await screen.findByLabelText('Имя владельца')).toBeTruthy();
  expect(screen.getByRole('heading', { name: title })).toBeTruthy();
});

it('opens the rules beside the consent', async () => {
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
  await open();
  fireEvent.click(await screen.findByText('правила обмена'));
  expect(await screen.findByRole('heading', { name: 'Правила обмена' })).toBeTruthy();
  expect(await screen.findByText('Одна заявка, один обмен.')).toBeTruthy();
});

it('without directions shows an error page with a link home and the support address', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id }, { broken: true });
  await open();
  expect(await screen.findByText('Something went wrong')).toBeTruthy();
  expect(screen.getByText('Calculator directions fetch error')).toBeTruthy();
  expect(screen.getAllByText('help@example.com').length).toBeGreaterThan(0);
  expect(screen.getByRole('link', { name: 'На главную' }).getAttribute('href')).toBe('/');
  vi.restoreAllMocks();
});

describe('where the network loses requests', () => {
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('loads the currencies again instead of an error page, and says that there is no connection', async () => {
    let isDown = true;
    serve(PRESET, { isLost: () => isDown });
    await open();
    expect(await screen.findByText(/^Нет связи\./)).toBeTruthy();
    expect(screen.queryByText('Something went wrong')).toBeNull();
    isDown = false;
    await waitFor(() => expect(heading()).toContain('BTC на SBERRUB'));
    expect(screen.queryByText(/^Нет связи\./)).toBeNull();
  });

  it('keeps the old pair with its age until a newer one arrives', async () => {
    let isDown = false;
    const soon = { id: 'a', expiresAt: new Date(Date.now() + 1000).toISOString(), signature: 'a' };
    serve(PRESET, { pair: { quote: soon }, isLost: (address) => isDown && address.includes('/pair/') });
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    fireEvent.change(receiveField(), { target: { value: '3000' } });
    isDown = true;
    expect(await screen.findByText(/^Курс на \d\d:\d\d: новый пока не загрузился/)).toBeTruthy();
    expect(sendField().value).toBe('30');
    isDown = false;
    fireEvent.click(screen.getByRole('button', { name: 'Попробовать ещё раз' }));
    await waitFor(() => expect(screen.queryByText(/^Курс на/)).toBeNull());
    expect(receiveField().value).toBe('3000');
  });
});

describe('the city of cash', () => {
  const cities = [
    { code: 'MSK', name: 'Москва', place: 'ул. Примерная, 1' },
    { code: 'DUBAI', name: 'Дубай', place: null },
  ];
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  const field = () => screen.findByLabelText<HTMLSelectElement>('Город');

  it('is chosen before the claim is created, and shows its place', async () => {
    serve(PRESET, { pair: { cities } });
    await open();
    const select = await field();
    expect(select.value).toBe('');
    fireEvent.submit(screen.getByRole('form', { name: /.+/ }));
    expect(await screen.findByText('Выберите город.')).toBeTruthy();
    fireEvent.change(select, { target: { value: 'MSK' } });
    expect(screen.getByText('ул. Примерная, 1')).toBeTruthy();
    expect(window.location.search).toContain('city=MSK');
    fireEvent.change(select, { target: { value: 'DUBAI' } });
    expect(screen.getByText('Место и время по договорённости: мы с вами свяжемся.')).toBeTruthy();
  });

  it('is that of the address, or the only one', async () => {
    serve(PRESET, { pair: { cities } });
    await open('/?city=dubai');
    expect((await field()).value).toBe('DUBAI');
    cleanup();
    serve(PRESET, { pair: { cities: cities.slice(0, 1) } });
    await open();
    expect((await field()).value).toBe('MSK');
  });
});

it('keeps what was typed for the next visit of the page in this tab', async () => {
  serve({ fromCurrencyId: BTC.id, toCurrencyId: SBER.id });
  await open();
  await waitFor(() => expect(receiveField().value).not.toBe(''));
  fireEvent.change(receiveField(), { target: { value: '3000' } });
  fireEvent.change(screen.getByLabelText(/^Эл. почта/), { target: { value: 'anna@example.com' } });
  fireEvent.click(screen.getByRole('checkbox', { name: /^Отправляю свои/ }));
  cleanup();
  await open();
  await waitFor(() => expect(sendField().value).toBe('30'));
  expect(receiveField().value).toBe('3\u00a0000,00');
  expect(screen.getByLabelText<HTMLInputElement>(/^Эл. почта/).value).toBe('anna@example.com');
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Отправляю свои/ }).checked).toBe(true);
});

describe('with the market in the page', () => {
  const PRESET = { fromCurrencyId: BTC.id, toCurrencyId: SBER.id };
  const asked = (requests: string[]) => requests.filter((address) => /calculator\/(?!tech)/.test(address));

  function serveWithin(quoteLasts = 40_000): string[] {
    const pair = pairOf('1', '3');
    const data = document.createElement('script');
    data.type = 'application/json';
    data.id = 'market';
    data.textContent = JSON.stringify({
      directions: { directions: [BTC, USDT, SBER, SEPA] },
      giveable: [BTC.id, USDT.id, SBER.id],
      receivable: RECEIVABLE[BTC.id],
      settings: { exchangeAttributes: PRESET, siteName: 'Agio', supportEmail: 'help@example.com' },
      pair: { ...pair, quote: { ...pair.quote, expiresAt: new Date(Date.now() + quoteLasts).toISOString() } },
      rates: [],
      reserves: [{ id: SBER.id, amount: '5000000', updatedAt: '2024-03-28T12:00:00Z' }],
      openings: [],
    });
    document.head.append(data);
    return serve(PRESET);
  }

  afterEach(() => document.getElementById('market')?.remove());

  it('shows its first content without a request', async () => {
    const requests = serveWithin();
    await open();
    await waitFor(() => expect(receiveField().value).toBe('2\u00a0000,00'));
    expect(asked(requests)).toEqual([]);
    // A visit that comes later needs newer data.
    cleanup();
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    expect(asked(requests)).toContain('/api/v1/calculator/pair/1/3/');
  });

  it('asks for another pair only', async () => {
    const requests = serveWithin();
    await open('/?cur_from=usdttrc20&cur_to=4');
    await waitFor(() => expect(heading()).toContain('USDTTRC20 на SEPAEUR'));
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    expect(asked(requests)).toEqual(['/api/v1/calculator/from/2/', '/api/v1/calculator/pair/2/4/']);
  });

  it('asks again where the quote has expired on the way', async () => {
    const requests = serveWithin(-1);
    await open();
    await waitFor(() => expect(receiveField().value).not.toBe(''));
    expect(asked(requests)).toContain('/api/v1/calculator/pair/1/3/');
  });
});
