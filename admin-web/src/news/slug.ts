const SLUG_MAX = 60;

/** The end of an address made from an English heading: "New rates, today!" becomes "new-rates-today". */
export function slugOf(heading: string): string {
  const words = heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return words.slice(0, SLUG_MAX).replace(/^-|-$/g, '');
}
