/** Names of what is kept of the server's answers. */
export const PARTNERS = ['partners'] as const;
export const partnerOf = (id: string) => ['partner', id] as const;
export const newsOf = (id: string) => ['partner', id, 'news'] as const;

/** What a key may do, from the least. */
export const SCOPES = ['read', 'quote', 'claim'] as const;
