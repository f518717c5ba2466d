-- Signing up is asked for like a letter: whether the address has an account is looked up later, so that the answer does not tell by
-- its time. What is asked for waits for a second, so that the table is made anew with what happens to be in it.
CREATE TABLE new_request (
    id            BLOB PRIMARY KEY NOT NULL,
    purpose       TEXT NOT NULL CHECK (purpose IN ('activation', 'restore', 'sign_up')),
    email         TEXT NOT NULL,
    address       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    -- Of who signs up.
    password_hash TEXT,
    locale        TEXT,
    referral      TEXT,
    CHECK ((purpose = 'sign_up') = (password_hash IS NOT NULL))
);
INSERT INTO new_request (id, purpose, email, address, created_at) SELECT id, purpose, email, address, created_at FROM customer_request;
DROP TABLE customer_request;
ALTER TABLE new_request RENAME TO customer_request;
