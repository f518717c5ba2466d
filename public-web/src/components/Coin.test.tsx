import { renderToStaticMarkup } from 'react-dom/server';
import { Coin } from './Coin';
import coins from './coins.svg?raw';

const drawn = (of: { code: string; kind: string; icon?: string; ticker?: string; name?: string }) =>
  renderToStaticMarkup(<Coin of={{ ticker: of.code, name: of.code, ...of }} />);

describe('the icon of a currency', () => {
  it('is its glyph, for every glyph there is', () => {
    const glyphs = [...coins.matchAll(/<symbol id="(\w+)"/g)].map((match) => match[1] ?? '');
    expect(glyphs.length).toBeGreaterThan(20);
    for (const icon of glyphs) expect(drawn({ code: 'X', kind: 'crypto', icon })).toContain(`#${icon}"`);
  });

  it('is the ticker of a coin without one', () => {
    expect(drawn({ code: 'SHIBBEP20', ticker: 'SHIB', kind: 'crypto', icon: 'crypto' })).toContain('>SHIB<');
  });

  it('is the sign of the currency for cash and for a card of any bank, the ticker where it has no sign', () => {
    expect(drawn({ code: 'CASHTRY', ticker: 'TRY', kind: 'cash', icon: 'cash' })).toContain('>₺<');
    expect(drawn({ code: 'CARDGBP', ticker: 'GBP', kind: 'bank', icon: 'bank' })).toContain('>£<');
    expect(drawn({ code: 'WIREGEL', ticker: 'GEL', kind: 'bank', icon: 'bank' })).toContain('>GEL<');
  });

  it('is the first letter of a bank or wallet', () => {
    expect(drawn({ code: 'ACRUB', ticker: 'RUB', kind: 'bank', icon: 'bank', name: 'Альфа-Банк' })).toContain('>А<');
  });
});
