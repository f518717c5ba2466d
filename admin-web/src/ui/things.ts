/** Where the console shows a thing that letters, proposals and the audit log name; null where it has no screen. */
export function pathOf(kind: string, id: string): string | null {
  switch (kind) {
    case 'claim':
      return `/claims/${id}`;
    case 'pair':
      return `/pairs?pair=${id}`;
    case 'reserve':
      return `/reserves?currency=${id}`;
    case 'currency':
      return '/currencies';
    case 'requisite':
      return '/requisites';
    case 'setting':
      return '/settings';
    case 'rates':
      return '/rates';
    case 'approval':
      return '/approvals';
    case 'partner':
      return `/partners/${id}`;
    case 'mail':
      return `/mail?id=${id}`;
    default:
      return null;
  }
}

/** An identifier as it is shown: the first group of a long one is enough to tell two apart. */
export const shortId = (id: string): string => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id);
