/** Names of what is kept of the server's answers. */
export const PARTNERS = ['partners'] as const;
export const partnerOf = (id: string) => ['partner', id] as const;
export const newsOf = (id: string) => ['partner', id, 'news'] as const;

/** What a key may do, from the least; the last is a way of speaking that only some partners need. */
export const SCOPES = ['read', 'quote', 'claim', 'trustee'] as const;

/** What a new key may do unless somebody says otherwise. */
export const USUAL_SCOPES = ['read', 'quote', 'claim'];
