/** From the least; the last is a protocol that only wallets need. */
export const SCOPES = ['read', 'quote', 'claim', 'trustee'] as const;

export type KeyScope = (typeof SCOPES)[number];

export const USUAL_SCOPES: KeyScope[] = ['read', 'quote', 'claim'];
