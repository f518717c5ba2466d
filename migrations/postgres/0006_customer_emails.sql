-- The IANA name of the customer's time zone; NULL where the browser gave none.
ALTER TABLE claim ADD COLUMN time_zone TEXT;
-- When to e-mail the customer about the present state, if the claim has not gone on by then.
ALTER TABLE claim ADD COLUMN mail_at BIGINT;
CREATE INDEX claim_to_mail ON claim (mail_at) WHERE mail_at IS NOT NULL;
-- The completed claims of a direction, from which the usual times of its steps follow.
CREATE INDEX claim_completed_by_direction ON claim (give_id, receive_id, public_id) WHERE state = 'completed';
