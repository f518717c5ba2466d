-- Staff, their sessions, and the keys their access tokens are signed with.

CREATE TABLE staff (
    id            BLOB PRIMARY KEY NOT NULL,
    email         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'cashier', 'editor', 'auditor')),
    password_hash TEXT NOT NULL,
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    created_at    BIGINT NOT NULL
);

-- A sign-in. The refresh token is kept as a digest and replaced at each use; showing a replaced one ends the session.
CREATE TABLE staff_session (
    id              BLOB PRIMARY KEY NOT NULL,
    staff_id        BLOB NOT NULL REFERENCES staff (id),
    refresh_digest  TEXT NOT NULL UNIQUE,
    replaced_digest TEXT,
    replaced_at     BIGINT,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    ended_at        BIGINT
);
CREATE INDEX staff_session_live ON staff_session (expires_at) WHERE ended_at IS NULL;
CREATE INDEX staff_session_replaced ON staff_session (replaced_digest);

CREATE TABLE token_key (
    id         TEXT PRIMARY KEY NOT NULL,
    secret     BLOB NOT NULL,
    created_at BIGINT NOT NULL
);
