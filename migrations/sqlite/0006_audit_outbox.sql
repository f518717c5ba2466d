-- What was done, and what leaves the house.

-- Entries in several chains side by side; each entry's digest covers its predecessor's.
CREATE TABLE audit (
    chain      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('staff', 'customer', 'guest', 'partner', 'house')),
    actor_id   BLOB,
    actor_name TEXT NOT NULL,
    address    TEXT,
    action     TEXT NOT NULL,
    about_kind TEXT NOT NULL,
    about_id   TEXT NOT NULL,
    before     TEXT,
    after      TEXT,
    digest     TEXT NOT NULL,
    PRIMARY KEY (chain, number)
);
CREATE INDEX audit_by_time ON audit (at, chain, number);
CREATE INDEX audit_by_thing ON audit (about_kind, about_id, at);
CREATE INDEX audit_by_actor ON audit (actor_id, at) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_by_action ON audit (action, at);

-- The head of each chain.
CREATE TABLE audit_chain (
    chain  BIGINT PRIMARY KEY NOT NULL,
    number BIGINT NOT NULL,
    digest TEXT NOT NULL
);
INSERT INTO audit_chain (chain, number, digest) VALUES
    (0, 0, ''), (1, 0, ''), (2, 0, ''), (3, 0, ''), (4, 0, ''), (5, 0, ''), (6, 0, ''), (7, 0, ''),
    (8, 0, ''), (9, 0, ''), (10, 0, ''), (11, 0, ''), (12, 0, ''), (13, 0, ''), (14, 0, ''), (15, 0, '');

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit is append-only');
END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit is append-only');
END;

-- What leaves the house: mail, messages, calls to partners. A row is written in the transaction of what it tells of and
-- delivered after the commit, at least once.
CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    channel      TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    kind         TEXT NOT NULL,
    about_kind   TEXT NOT NULL,
    about_id     TEXT NOT NULL,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'dead')),
    attempts     BIGINT NOT NULL,
    next_at      BIGINT NOT NULL,
    -- Until when the node that delivers it has it in hand.
    leased_until BIGINT NOT NULL,
    fault        TEXT,
    created_at   BIGINT NOT NULL,
    settled_at   BIGINT
);
CREATE INDEX outbox_queue ON outbox (channel, recipient, id) WHERE state = 'queued';
CREATE INDEX outbox_due ON outbox (next_at, id) WHERE state = 'queued';
CREATE INDEX outbox_by_thing ON outbox (about_kind, about_id, id);
CREATE INDEX outbox_by_channel ON outbox (channel, state, id);
