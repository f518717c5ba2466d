-- What a customer is proven for counts for all that the claims of their browser hold.
CREATE INDEX claim_holding_by_browser ON claim (guest_digest) WHERE hold_id IS NOT NULL;
