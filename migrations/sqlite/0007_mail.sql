-- Mail that is kept on the spot, and one log of what is changed in place of two.

-- What would have left by a mail server if there were one. A message is kept once, however often it is delivered.
CREATE TABLE mailbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    message_id   BIGINT NOT NULL UNIQUE,
    recipient    TEXT NOT NULL,
    kind         TEXT NOT NULL,
    payload      TEXT NOT NULL,
    delivered_at BIGINT NOT NULL
);
CREATE INDEX mailbox_by_age ON mailbox (delivered_at);

-- An entry is the head of its chain from the moment it is written.
CREATE TRIGGER audit_is_head AFTER INSERT ON audit
BEGIN
    UPDATE audit_chain SET number = NEW.number, digest = NEW.digest WHERE chain = NEW.chain;
END;

-- What staff change on the market is in the audit log.
DROP TABLE market_change;

-- What is due is asked for by channel.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (channel, next_at, id) WHERE state = 'queued';
