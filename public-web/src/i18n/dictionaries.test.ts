const files = import.meta.glob<Record<string, string>>('./{ru,en}/*.json', { eager: true, import: 'default' });

const features = Object.keys(files)
  .filter((path) => path.startsWith('./ru/'))
  .map((path) => path.slice('./ru/'.length));

/** Russian counts in one, few and many where English has one and other. */
function singular(key: string): string {
  return key.replace(/_(one|few|many|other)$/, '');
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '').sort();
}

describe.each(features)('the dictionaries of %s', (feature) => {
  const ru = files[`./ru/${feature}`] ?? {};
  const en = files[`./en/${feature}`] ?? {};

  it('hold the same keys in both languages', () => {
    const keysOf = (texts: Record<string, string>) => [...new Set(Object.keys(texts).map(singular))].sort();
    expect(keysOf(ru)).toEqual(keysOf(en));
  });

  it('have the same placeholders and no empty text', () => {
    for (const [key, text] of Object.entries(ru)) {
      expect(text, key).not.toBe('');
      const other = en[key] ?? en[`${singular(key)}_other`] ?? '';
      expect(placeholders(text), key).toEqual(placeholders(other));
    }
  });
});
