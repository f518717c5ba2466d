import { describe, expect, it } from 'vitest';
import { type CatalogueEntry, otherLayout, searchCatalogue } from './catalogue.ts';

const entry = (code: string, ru: string, en: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  code,
  ticker: code,
  name: { ru, en },
  network: { ru: en, en },
  kind: 'crypto',
  icon: 'crypto',
  scale: 8,
  roundCalculator: 8,
  inputs: [],
  taken: false,
  aliases: [],
  ...more,
});

const CATALOGUE = [
  entry('BRBKZT', 'Bereke Bank', 'Bereke Bank', { ticker: 'KZT', aliases: ['сбер'] }),
  entry('BCH', 'Биткоин Кэш', 'Bitcoin Cash'),
  entry('BTC', 'Биткоин', 'Bitcoin'),
  entry('USDTTRC20', 'Tether TRC20', 'Tether TRC20', { ticker: 'USDT', network: { ru: 'TRC20', en: 'TRC20' } }),
  entry('SBERRUB', 'Сбербанк', 'Sberbank', { ticker: 'RUB', aliases: ['сбер', 'зелёный банк'] }),
];
const codes = (query: string) => searchCatalogue(CATALOGUE, query).map(({ code }) => code);

describe('a search in the catalogue', () => {
  it('finds by code, ticker, name in both languages, network and alias', () => {
    expect(codes('btc')).toEqual(['BTC']);
    expect(codes('usdt')).toEqual(['USDTTRC20']);
    expect(codes('сбербанк')).toEqual(['SBERRUB']);
    expect(codes('Sberbank')).toEqual(['SBERRUB']);
    expect(codes('trc20')).toEqual(['USDTTRC20']);
    expect(codes('зеленый')).toEqual(['SBERRUB']);
  });

  it('puts the exact name before those that begin with it, and aliases after names', () => {
    expect(codes('bitcoin')).toEqual(['BTC', 'BCH']);
    expect(codes('сбер')).toEqual(['SBERRUB', 'BRBKZT']);
  });

  it('takes words in any order', () => {
    expect(codes('trc20 usdt')).toEqual(['USDTTRC20']);
    expect(codes('usdt bitcoin')).toEqual([]);
  });

  it('understands what was typed in the other layout', () => {
    expect(otherLayout(',bnrjby')).toBe('биткоин');
    expect(codes(',bnrjby')).toEqual(['BTC', 'BCH']);
    expect(codes('ивсуй')).toEqual([]);
    expect(codes('гыве')).toEqual(['USDTTRC20']);
  });

  it('shows everything when nothing is typed', () => {
    expect(codes(' ')).toEqual(CATALOGUE.map(({ code }) => code));
  });
});
