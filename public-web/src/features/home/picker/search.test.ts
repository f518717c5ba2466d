import aliases from 'virtual:aliases';
import type { CurrencyKind, Direction } from '../../../api/types';
import { type Findable, find, otherLayout } from './search';

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
  return { direction, otherName, aliases: aliases[code] };
}

const all = [
  currency('USDTTRC20', 'USDT', 'TRC20', 'Tether TRC20', 'Tether TRC20'),
  currency('BTC', 'BTC', 'Bitcoin', 'Биткоин', 'Bitcoin'),
  currency('ETH', 'ETH', 'ERC20', 'Эфириум', 'Ethereum'),
  currency('SBERRUB', 'RUB', 'Сбербанк', 'Сбербанк', 'Sberbank'),
  currency('TCSBRUB', 'RUB', 'Т-Банк', 'Т-Банк', 'T-Bank'),
  currency('SBPRUB', 'RUB', 'СБП', 'Система быстрых платежей', 'Faster Payments System'),
];

const codes = (typed: string) => find(all, typed).map(({ direction }) => direction.code);

it.each([
  ['eth', ['ETH', 'USDTTRC20']],
  ['биткоин', ['BTC']],
  ['bitcoin', ['BTC']],
  ['TRC-20', ['USDTTRC20']],
  ['usdt trc', ['USDTTRC20']],
  ['sb', ['SBERRUB', 'SBPRUB', 'TCSBRUB']],
  ['платежей', ['SBPRUB']],
  ['rub', ['SBERRUB', 'TCSBRUB', 'SBPRUB']],
  ['тинькофф', ['TCSBRUB']],
  ['юсдт', ['USDTTRC20']],
  ['биток', ['BTC']],
  // The wrong keyboard layout, either way.
  ['иес', ['BTC']],
  ['c,th', ['SBERRUB']],
  ['nbymrjaa', ['TCSBRUB']],
  // Typing errors: another letter, a missing, an extra one, two in the wrong order.
  ['биткаин', ['BTC']],
  ['bitcon', ['BTC']],
  ['сберрбанк', ['SBERRUB']],
  ['ethreum', ['ETH']],
  ['sebrbank', ['SBERRUB']],
  ['doge', []],
  ['xy', []],
])('searching for %s finds %j', (typed, found) => {
  expect(codes(typed)).toEqual(found);
});

it('searching for nothing shows everything in its order', () => {
  expect(codes('').length).toBe(6);
});

it('reads keys in the other layout', () => {
  expect(otherLayout('Иес')).toBe('btc');
  expect(otherLayout('c,th 1')).toBe('сбер 1');
});
