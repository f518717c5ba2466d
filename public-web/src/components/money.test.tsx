// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { LocaleContext } from '../i18n/locale';
import { useMoney, useShortName } from './money';

const TETHER = { id: 3, code: 'USDTTRC20', ticker: 'USDT', network: 'TRC20', name: 'Tether TRC20', kind: 'crypto' };
const SBER = { id: 12, code: 'SBERRUB', ticker: 'RUB', network: '', name: 'Сбербанк', kind: 'bank' };

function Sums() {
  const money = useMoney();
  const name = useShortName();
  const sums = ['USDTTRC20', 'SBERRUB', 'GONE'].map((code) => `${money('1500.5', code)} (${name(code)})`);
  return <p>{sums.join('; ')}</p>;
}

const text = () => screen.getByText(/1/).textContent?.replaceAll('\u00a0', ' ');

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('shows the usual name of a currency, and its code only where it is unknown', async () => {
  let answer: (response: Response) => void = () => {};
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
  render(
    <LocaleContext.Provider value="ru">
      <Sums />
    </LocaleContext.Provider>,
  );
  expect(text()).not.toMatch(/1 500,5 (USDT|SBER)/);
  await act(async () => answer(Response.json({ directions: [TETHER, SBER] })));
  expect(text()).toBe('1 500,5 USDT (USDT TRC20); 1 500,5 ₽ (Сбербанк); 1 500,5 GONE (GONE)');
});
