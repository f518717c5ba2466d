-- Masking an old claim masks its commissions, reversed ones as well.
CREATE INDEX referral_commission_by_claim ON referral_commission (claim_id);
