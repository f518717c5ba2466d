-- What is written when a claim is made is looked up by numbers that grow, so that claims made at a time are written in one place of
-- each index: a page that changes costs as much as the claim itself.

-- A step names its claim by number.
CREATE TABLE claim_step (
    id           INTEGER PRIMARY KEY NOT NULL,
    claim_number BIGINT NOT NULL REFERENCES claim (public_id),
    at           BIGINT NOT NULL,
    actor        TEXT NOT NULL,
    actor_id     BLOB,
    actor_name   TEXT,
    action       TEXT NOT NULL,
    from_state   TEXT,
    to_state     TEXT,
    revision     BIGINT NOT NULL,
    reason       TEXT,
    note         TEXT,
    batch_id     BLOB
);
INSERT INTO claim_step
    SELECT event.id, claim.public_id, event.at, event.actor, event.actor_id, event.actor_name, event.action, event.from_state,
        event.to_state, event.revision, event.reason, event.note, event.batch_id
    FROM claim_event event JOIN claim ON claim.id = event.claim_id;
DROP TABLE claim_event;
ALTER TABLE claim_step RENAME TO claim_event;
CREATE INDEX claim_event_by_claim ON claim_event (claim_number, id);
CREATE TRIGGER claim_event_is_never_changed BEFORE UPDATE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never changed');
END;
CREATE TRIGGER claim_event_is_never_deleted BEFORE DELETE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never deleted');
END;

-- The transfers of a claim are found by the batches of its steps.
DROP INDEX ledger_transfer_about;
