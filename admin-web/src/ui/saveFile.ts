/** Offers a table as a file. */
export function saveFile(name: string, content: string | Blob): void {
  const file = content instanceof Blob ? content : new Blob([content], { type: 'text/csv' });
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
