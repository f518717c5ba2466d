/** The promo code of the pair's request, set by the promo field. */
export const asking: { promo?: string | undefined } = {};
