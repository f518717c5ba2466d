-- Visitors who wait for a direction

-- Deleted when it expires. The random id is the secret of the links in the emails.
CREATE TABLE waitlist_entry (
    id         BLOB PRIMARY KEY NOT NULL,
    -- Only the owner of the mailbox confirms an entry.
    state      TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'notified')),
    give_id    BIGINT NOT NULL,
    receive_id BIGINT NOT NULL,
    -- The amount that can be received at least; NULL for any.
    amount     TEXT,
    -- What is received for one unit given at least; NULL for any rate.
    rate       TEXT,
    -- Sealed; NULL after the notification.
    email      TEXT CHECK ((email IS NULL) = (state = 'notified')),
    -- Keyed digests, for limits and to unsubscribe.
    mailbox    TEXT NOT NULL,
    network    TEXT NOT NULL,
    locale     TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX waitlist_entry_by_direction ON waitlist_entry (state, give_id, receive_id, id);
CREATE INDEX waitlist_entry_by_mailbox ON waitlist_entry (mailbox, created_at);
CREATE INDEX waitlist_entry_by_network ON waitlist_entry (network, created_at);
CREATE INDEX waitlist_entry_by_expiry ON waitlist_entry (expires_at);


-- News

CREATE TABLE news_post (
    id         BLOB PRIMARY KEY NOT NULL,
    -- The end of its address.
    slug       TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE news_version (
    post_id        BLOB NOT NULL REFERENCES news_post (id),
    version        BIGINT NOT NULL CHECK (version > 0),
    state          TEXT NOT NULL CHECK (state IN ('draft', 'published')),
    ru_title       TEXT NOT NULL CHECK (ru_title <> ''),
    ru_description TEXT NOT NULL,
    ru_markdown    TEXT NOT NULL,
    en_title       TEXT NOT NULL CHECK (en_title <> ''),
    en_description TEXT NOT NULL,
    en_markdown    TEXT NOT NULL,
    saved_by       BLOB NOT NULL,
    saved_name     TEXT NOT NULL,
    saved_at       BIGINT NOT NULL,
    PRIMARY KEY (post_id, version)
);
CREATE TRIGGER news_version_is_never_changed BEFORE UPDATE ON news_version
BEGIN
    SELECT RAISE(ABORT, 'versions of news are never changed');
END;
CREATE TRIGGER news_version_is_never_deleted BEFORE DELETE ON news_version
BEGIN
    SELECT RAISE(ABORT, 'versions of news are never deleted');
END;


-- Uploaded icons of currencies

-- Named by their content, so a row never changes. Currencies name them as they name built-in icons.
CREATE TABLE currency_icon (
    name    TEXT PRIMARY KEY NOT NULL,
    -- PNG
    content BLOB NOT NULL CHECK (length(content) <= 65536)
);
