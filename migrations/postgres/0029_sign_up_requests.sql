-- Signing up is asked for like a letter: whether the address has an account is looked up later, so that the answer does not tell by
-- its time.
ALTER TABLE customer_request DROP CONSTRAINT customer_request_purpose_check;
ALTER TABLE customer_request ADD CHECK (purpose IN ('activation', 'restore', 'sign_up'));
-- Of who signs up.
ALTER TABLE customer_request ADD COLUMN password_hash TEXT;
ALTER TABLE customer_request ADD COLUMN locale TEXT;
ALTER TABLE customer_request ADD COLUMN referral TEXT;
ALTER TABLE customer_request ADD CHECK ((purpose = 'sign_up') = (password_hash IS NOT NULL));
