/** What a key may do, from the least; the last is a way of speaking that only wallets need. */
export const SCOPES = ['read', 'quote', 'claim', 'trustee'] as const;

/** What is ticked on a new key. */
export const USUAL_SCOPES = ['read', 'quote', 'claim'];
