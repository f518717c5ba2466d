-- What staff are told of by mail, and a log that more may write to at a time.

-- Chains beside those there are: more than a database has connections, so that writers of different things rarely wait for each other.
INSERT INTO audit_chain (chain, number, digest) SELECT chain, 0, '' FROM generate_series(16, 63) AS more (chain);

-- When staff were last told of something, so that they are told of one thing once an hour.
CREATE TABLE alert (
    cause   TEXT PRIMARY KEY NOT NULL,
    told_at BIGINT NOT NULL
);

CREATE INDEX approval_by_thing ON approval (about_kind, about_id, kind, proposed_at);
