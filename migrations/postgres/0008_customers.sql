-- Customers' accounts, the sessions of customers and staff, and what keeps strangers from guessing.

CREATE TABLE customer (
    id            UUID PRIMARY KEY NOT NULL,
    -- In lower case.
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    locale        TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    referral      TEXT,
    activated_at  BIGINT,
    banned_at     BIGINT,
    created_at    BIGINT NOT NULL
);

-- Links that were mailed: at most one of a kind for an account, kept as a digest, deleted when used.
CREATE TABLE customer_token (
    customer_id UUID NOT NULL REFERENCES customer (id),
    purpose     TEXT NOT NULL CHECK (purpose IN ('activation', 'restore')),
    digest      TEXT NOT NULL UNIQUE,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (customer_id, purpose)
);

-- What was asked for an e-mail address by somebody who may be anybody. Whether there is such an account is looked up later, so
-- that the answer does not tell by its time.
CREATE TABLE customer_request (
    id         UUID PRIMARY KEY NOT NULL,
    purpose    TEXT NOT NULL CHECK (purpose IN ('activation', 'restore')),
    email      TEXT NOT NULL,
    address    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Browsers and addresses an account was used from, as digests.
CREATE TABLE customer_familiar (
    customer_id UUID NOT NULL REFERENCES customer (id),
    mark        TEXT NOT NULL,
    seen_at     BIGINT NOT NULL,
    PRIMARY KEY (customer_id, mark)
);
CREATE INDEX customer_familiar_by_age ON customer_familiar (seen_at);

-- A sign-in of a member of staff or of a customer. The refresh token names its session and generation; nothing of it is kept.
DROP TABLE staff_session;
CREATE TABLE account_session (
    id           UUID PRIMARY KEY NOT NULL,
    staff_id     UUID REFERENCES staff (id),
    customer_id  UUID REFERENCES customer (id),
    generation   BIGINT NOT NULL,
    address      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    refreshed_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    -- When a node that knows the session had to look again.
    changed_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    CHECK ((staff_id IS NULL) <> (customer_id IS NULL))
);
CREATE INDEX account_session_changed ON account_session (changed_at);
CREATE INDEX account_session_by_end ON account_session (expires_at);
CREATE INDEX account_session_by_staff ON account_session (staff_id) WHERE ended_at IS NULL;
CREATE INDEX account_session_by_customer ON account_session (customer_id) WHERE ended_at IS NULL;

-- Generations that were replaced a moment ago: another tab may still show one.
CREATE TABLE session_refresh (
    session_id UUID NOT NULL REFERENCES account_session (id),
    generation BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    PRIMARY KEY (session_id, generation)
);

-- The keys tokens are made with, sealed.
DROP TABLE token_key;
CREATE TABLE token_key (
    id         TEXT PRIMARY KEY NOT NULL,
    sealed     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Authenticator apps of customers and staff. Without confirmed_at it was begun and does not hold yet.
CREATE TABLE second_factor (
    account_id   UUID PRIMARY KEY NOT NULL,
    sealed       TEXT NOT NULL,
    confirmed_at BIGINT,
    -- The period of the last code that was taken: each code counts once.
    last_step    BIGINT NOT NULL
);

CREATE TABLE recovery_code (
    account_id UUID NOT NULL,
    digest     TEXT NOT NULL,
    PRIMARY KEY (account_id, digest)
);

-- How often something that can be guessed was tried, by account and by address, as digests.
CREATE TABLE attempt (
    gate    TEXT PRIMARY KEY NOT NULL,
    counted BIGINT NOT NULL,
    at      BIGINT NOT NULL
);
CREATE INDEX attempt_by_age ON attempt (at);

-- The key captchas are signed with, sealed, and the answers that were used.
CREATE TABLE captcha_key (
    id     BIGINT PRIMARY KEY NOT NULL,
    sealed TEXT NOT NULL
);
CREATE TABLE captcha_used (
    signature TEXT PRIMARY KEY NOT NULL,
    ends_at   BIGINT NOT NULL
);
CREATE INDEX captcha_used_by_end ON captcha_used (ends_at);
