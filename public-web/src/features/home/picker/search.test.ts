import type { CurrencyKind, Direction } from '../../../api/types';
import { type Findable, find } from './search';

function currency(code: string, ticker: string, network: string, name: string, otherName: string): Findable {
  const kind: CurrencyKind = ticker === 'RUB' ? 'bank' : 'crypto';
  const direction: Direction = {
    id: 0,
    code,
    ticker,
    network,
    name,
    kind,
    icon: '',
    roundCalculator: 2,
    send: true,
    receive: true,
    position: 0,
  };
  return { direction, otherName };
}

const all = [
  currency('USDTTRC20', 'USDT', 'TRC20', 'Tether TRC20', 'Tether TRC20'),
  currency('BTC', 'BTC', 'Bitcoin', 'Биткоин', 'Bitcoin'),
  currency('ETH', 'ETH', 'ERC20', 'Эфириум', 'Ethereum'),
  currency('SBERRUB', 'RUB', 'Сбербанк', 'Сбербанк', 'Sberbank'),
  currency('SBPRUB', 'RUB', 'СБП', 'Система быстрых платежей', 'Faster Payments System'),
];

const codes = (typed: string) => find(all, typed).map(({ direction }) => direction.code);

it.each([
  ['eth', ['ETH', 'USDTTRC20']],
  ['биткоин', ['BTC']],
  ['bitcoin', ['BTC']],
  ['TRC-20', ['USDTTRC20']],
  ['usdt trc', ['USDTTRC20']],
  ['sb', ['SBERRUB', 'SBPRUB']],
  ['платежей', ['SBPRUB']],
  ['rub', ['SBERRUB', 'SBPRUB']],
  ['doge', []],
])('searching for %s finds %j', (typed, found) => {
  expect(codes(typed)).toEqual(found);
});

it('searching for nothing shows everything in its order', () => {
  expect(codes('').length).toBe(5);
});
