import type { Pair } from '../../../api/types';
import { readAmount } from './reading';

const BTC: Pair['structure']['from']['currency'] = {
  id: 1,
  code: 'BTC',
  name: 'Биткоин',
  ticker: 'BTC',
  network: 'Bitcoin',
  kind: 'crypto',
  icon: 'btc',
};
const USDT = { ...BTC, code: 'USDTTRC20', name: 'Tether', ticker: 'USDT' };
const USD = { ...BTC, code: 'CASHUSD', name: 'Наличные', ticker: 'USD' };
const RUB = { ...BTC, code: 'SBERRUB', name: 'Сбербанк', ticker: 'RUB' };

it.each([
  ['1 000.5 USDT', USDT, 6, '1000.5', false],
  ['1\u00a0000,5\u202fusdt', USDT, 6, '1000.5', false],
  ['USDT 1,000.50', USDT, 6, '1000.5', false],
  ['$100', USD, 2, '100', false],
  ['100 $', USD, 2, '100', false],
  ['90 000,50 ₽', RUB, 2, '90000.5', false],
  ['90 000 руб.', RUB, 2, '90000', false],
  ['1000р.', RUB, 2, '1000', false],
  ["1'000'000.25", RUB, 2, '1000000.25', false],
  ['\u200b0,5\ufeff', BTC, 8, '0.5', false],
  ['1,5', BTC, 8, '1.5', false],
  ['0.123456789123456789', BTC, 8, '0.12345678', true],
  ['0,100000000000', BTC, 8, '0.1', false],
  ['100,999', RUB, 2, '100.99', true],
])('reads %s', (typed, of, digits, value, isCut) => {
  expect(readAmount(typed, of, digits, 'ru')).toEqual({ value, isCut });
});

it.each([
  ['1 000.5 USDT', BTC, 'unit'],
  ['$100', USDT, 'unit'],
  ['€ 5', USD, 'unit'],
  ['USDT TRC20 100', USDT, 'unit'],
  ['abc', BTC, 'unread'],
  ['BTC', BTC, 'unread'],
  ['-5', BTC, 'unread'],
  ['1e5', BTC, 'unread'],
  ['5²', BTC, 'unread'],
  ['½', BTC, 'unread'],
  ['1/2', BTC, 'unread'],
  ["1'5", BTC, 'unread'],
  ['1.2.3', BTC, 'unread'],
  ['10 %', BTC, 'unread'],
  ['1000000000000', BTC, 'huge'],
  ['1 000 000 000 000,5', BTC, 'huge'],
  ['1'.repeat(300), BTC, 'unread'],
])('refuses %s', (typed, of, problem) => {
  expect(readAmount(typed, of, 8, 'ru')).toEqual({ problem });
});

it('does not read what a comma makes ambiguous in English', () => {
  expect(readAmount('1,5', BTC, 8, 'en')).toEqual({ problem: 'unread' });
  expect(readAmount('1,500', BTC, 8, 'en')).toEqual({ value: '1500', isCut: false });
  expect(readAmount('1,234567891', BTC, 8, 'en')).toEqual({ problem: 'unread' });
});
