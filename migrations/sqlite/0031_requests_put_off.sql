-- A request that fails is tried again later, so that it does not hold up the others, and is given up after some tries. What was given
-- up is kept for a while, so that owners can be told.
ALTER TABLE customer_request ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE customer_request ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE customer_request ADD COLUMN given_up_at BIGINT;
