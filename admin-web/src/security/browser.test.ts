import { describe, expect, it } from 'vitest';
import { browserOf } from './browser.ts';

describe('the name of a browser', () => {
  it('is what people call it', () => {
    const chrome =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
    expect(browserOf(chrome)).toBe('Chrome 126, Linux');
    expect(browserOf(`${chrome} Edg/125.0`)).toBe('Edge 125, Linux');
    expect(browserOf('Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0')).toBe(
      'Firefox 128, Windows',
    );
    expect(
      browserOf(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605 Version/17.5 Mobile/15E148 Safari/604',
      ),
    ).toBe('Safari 17, iOS');
  });

  it('is what it says of itself when nobody knows it', () => {
    expect(browserOf('curl/8.5.0')).toBe('curl/8.5.0');
    expect(browserOf('')).toBe('');
    expect(browserOf('x'.repeat(80))).toHaveLength(61);
  });
});
