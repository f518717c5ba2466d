/** The promo code the pair is asked for with; the part of the page that takes it sets it. */
export const asking: { promo?: string | undefined } = {};
