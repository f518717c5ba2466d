-- Links with which a customer starts a chat in a messenger, until they have.
CREATE TABLE chat_link (
    code_digest TEXT PRIMARY KEY NOT NULL,
    messenger   TEXT NOT NULL,
    claim_id    UUID,
    account_id  UUID,
    language    TEXT NOT NULL,
    expires_at  BIGINT NOT NULL
);
CREATE INDEX chat_link_by_claim ON chat_link (claim_id, messenger);
CREATE INDEX chat_link_by_account ON chat_link (account_id, messenger);
CREATE INDEX chat_link_expired ON chat_link (expires_at);

-- The notifier plugin, where messages go to a chat and not to a browser.
ALTER TABLE push_subscription ADD COLUMN messenger TEXT;
