-- What one member of staff proposed and another decides.

CREATE TABLE approval (
    id            UUID PRIMARY KEY NOT NULL,
    kind          TEXT NOT NULL,
    about_kind    TEXT NOT NULL,
    about_id      TEXT NOT NULL,
    shown         TEXT NOT NULL,
    payload       TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'rejected', 'withdrawn', 'expired')),
    proposed_by   UUID NOT NULL,
    proposed_name TEXT NOT NULL,
    proposed_at   BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    decided_by    UUID,
    decided_name  TEXT,
    decided_at    BIGINT,
    reason        TEXT,
    CHECK ((state = 'waiting') = (decided_at IS NULL)),
    -- Four eyes are two people: nobody decides what they proposed.
    CHECK (state NOT IN ('approved', 'rejected') OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
CREATE INDEX approval_by_time ON approval (proposed_at);
-- The same is proposed about one thing once at a time.
CREATE UNIQUE INDEX approval_waiting ON approval (kind, about_kind, about_id) WHERE state = 'waiting';
