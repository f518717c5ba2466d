-- The server's key at push services (RFC 8292): one row.
CREATE TABLE push_key (
    id         BIGINT PRIMARY KEY NOT NULL,
    sealed     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Browsers that are notified of one claim, or of all claims of an account until a session of it ends.
CREATE TABLE push_subscription (
    id              BLOB PRIMARY KEY NOT NULL,
    claim_id        BLOB,
    account_id      BLOB,
    session_id      BLOB,
    endpoint_digest TEXT NOT NULL,
    -- The address at the push service and the browser's keys.
    sealed          TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL
);
CREATE UNIQUE INDEX push_subscription_by_claim ON push_subscription (claim_id, endpoint_digest);
CREATE UNIQUE INDEX push_subscription_by_account ON push_subscription (account_id, endpoint_digest);
CREATE INDEX push_subscription_expired ON push_subscription (expires_at);
