-- What a customer is proven for counts for all the unpaid claims of their browser that rely on it.
CREATE INDEX claim_proven_by_browser ON claim (guest_digest) WHERE hold_id IS NOT NULL AND unproven_units = 0;
