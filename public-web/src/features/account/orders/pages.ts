/** The first page, the last and those around the current one; null is a gap. */
export function pagesAround(page: number, last: number): (number | null)[] {
  const wanted = [1, page - 1, page, page + 1, last].filter((one) => one >= 1 && one <= last);
  const shown = [...new Set(wanted)].sort((a, b) => a - b);
  return shown.flatMap((one, index) => {
    const missing = one - (shown[index - 1] ?? one - 1) - 1;
    // A gap of one page is no shorter than the page itself.
    return missing === 0 ? [one] : missing === 1 ? [one - 1, one] : [null, one];
  });
}
