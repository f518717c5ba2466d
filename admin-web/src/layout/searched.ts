const LINK = /^https?:\/\/[^/?#]+(.*)$/i;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** What to look for. Customers send links: to their claim, or to a transaction in an explorer, its longest part. */
export function searchedIn(text: string): string {
  const path = LINK.exec(text)?.[1];
  if (!path) return text;
  const parts = path.split(/[/?#&=]+/);
  return (
    UUID.exec(path)?.[0] ?? (parts.reduce((longest, part) => (part.length > longest.length ? part : longest)) || text)
  );
}
