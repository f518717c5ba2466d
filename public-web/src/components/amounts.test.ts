import { significant } from '@agio/client/decimal';
import { amountText } from '@agio/client/format';
import { moneyText, reserveText, serialText } from './amounts';

describe('an amount', () => {
  it.each([
    ['0.015', 'ru', '0,015'],
    ['90185.17', 'ru', '90\u00a0185,17'],
    ['3006.17', 'ru', '3\u00a0006,17'],
    ['7214814', 'ru', '7\u00a0214\u00a0814'],
    ['3006.17', 'en', '3,006.17'],
    ['0.00000001', 'en', '0.00000001'],
    ['12345678901.12345678', 'ru', '12\u00a0345\u00a0678\u00a0901,12345678'],
    ['-5.50', 'en', '\u22125.5'],
  ] as const)('%s is written in %s as %s', (value, locale, written) => {
    expect(amountText(value, locale)).toBe(written);
  });

  it('shows the usual decimals of money', () => {
    expect(amountText('90185.1', 'ru', 2)).toBe('90\u00a0185,10');
  });

  it('has its unit on the same line', () => {
    expect(moneyText('8450120', 'RUB', 'ru')).toBe('8\u00a0450\u00a0120\u00a0₽');
    expect(moneyText('1.2', 'BTC', 'en')).toBe('1.2\u00a0BTC');
  });
});

it('groups the digits of a claim number', () => {
  expect(serialText(184207)).toBe('184\u00a0207');
});

describe('a reserve', () => {
  it.each([
    ['18054378.79', 'RUB', '18\u00a0054\u00a0378\u00a0₽'],
    ['9600.5', 'TON', '9\u00a0600,5\u00a0TON'],
    ['4.22428593', 'BTC', '4,224285\u00a0BTC'],
    ['0', 'XMR', '0\u00a0XMR'],
  ])('%s of %s is told as %s', (value, ticker, written) => {
    expect(reserveText(value, ticker, 'ru')).toBe(written);
  });
});

describe('a long rate is shortened', () => {
  it.each([
    ['6012345.678', 6, '6012345'],
    ['97.4251234', 6, '97.4251'],
    ['0.0000001663245', 6, '0.000000166324'],
    ['1', 6, '1'],
    ['0.5000', 6, '0.5'],
  ] as const)('%s to %s digits: %s', (value, digits, short) => {
    expect(significant(value, digits)).toBe(short);
  });
});
