-- An account whose address nobody has confirmed keeps no payment details and was brought by nobody: it may be anybody's.
DELETE FROM customer_requisite WHERE customer_id IN (SELECT id FROM customer WHERE activated_at IS NULL);
DELETE FROM referral_bond WHERE customer_id IN (SELECT id FROM customer WHERE activated_at IS NULL);

-- By what one customer is known who uses a promo code again: the mailbox whatever the address is written like, the browser, and where they are
-- paid to, the latter two as digests.
ALTER TABLE promo_use ADD COLUMN mailbox TEXT;
ALTER TABLE promo_use ADD COLUMN browser TEXT;
ALTER TABLE promo_use ADD COLUMN payout TEXT;
UPDATE promo_use SET mailbox = email;
DROP INDEX promo_use_by_email;
CREATE INDEX promo_use_by_mailbox ON promo_use (code, mailbox);
CREATE INDEX promo_use_by_browser ON promo_use (code, browser) WHERE browser IS NOT NULL;
CREATE INDEX promo_use_by_payout ON promo_use (code, payout) WHERE payout IS NOT NULL;

-- How many letters went to a mailbox since a moment, and how many were held back for one that sums them up.
CREATE TABLE mail_count (
    mailbox    TEXT PRIMARY KEY NOT NULL,
    since      BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    held       BIGINT NOT NULL,
    held_since BIGINT,
    email      TEXT,
    locale     TEXT CHECK (locale IN ('ru', 'en')),
    CHECK ((held > 0) = (held_since IS NOT NULL AND email IS NOT NULL AND locale IS NOT NULL))
);
CREATE INDEX mail_count_held ON mail_count (held_since) WHERE held_since IS NOT NULL;
CREATE INDEX mail_count_by_age ON mail_count (since);

CREATE INDEX claim_completed_by_browser ON claim (guest_digest) WHERE state = 'completed';
