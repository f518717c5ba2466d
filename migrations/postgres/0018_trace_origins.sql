-- Where a trace comes from. An exchange or a withdrawal of the referrer leaves its traces until they are old; page views leave
-- a limited number of browsers and of addresses, since anybody can make them up. What is already here is not told apart.
ALTER TABLE referral_trace ADD COLUMN origin TEXT NOT NULL DEFAULT 'exchange' CHECK (origin IN ('exchange', 'browser', 'address'));
