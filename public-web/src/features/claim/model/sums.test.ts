import { describe, expect, it } from 'vitest';
import { shortfall, shortHash } from './sums';

describe('amounts on the ticket', () => {
  it('tell exactly how much is missing', () => {
    expect(shortfall('412.5', '400.3')).toBe('12.2');
    expect(shortfall('0.3', '0.1')).toBe('0.2');
    expect(shortfall('412.5', '412.5')).toBeNull();
    expect(shortfall('412.5', '500')).toBeNull();
  });

  it('write a hash by its ends', () => {
    expect(shortHash('4e1f9c0a11112222333344445555b27d55c8')).toBe('4e1f9c0a…b27d55c8');
    expect(shortHash('2611211448030017')).toBe('2611211448030017');
  });
});
