-- The texts of the information pages, and what visitors write to support.

-- What was published of a page: both languages at once. Claims refer to versions of the rules, so nothing here is ever changed.
CREATE TABLE content_version (
    page           TEXT NOT NULL CHECK (page IN ('aml', 'faq', 'rules', 'contacts', 'partners', 'discounts', 'contest')),
    version        BIGINT NOT NULL CHECK (version > 0),
    -- What the editor says about it, for colleagues.
    note           TEXT NOT NULL,
    -- The languages whose text differs from the version before, as in 'ru en'.
    changed        TEXT NOT NULL,
    -- Nobody for the texts the house came with.
    published_by   UUID,
    published_name TEXT NOT NULL,
    published_at   BIGINT NOT NULL,
    PRIMARY KEY (page, version)
);

CREATE TABLE content_text (
    page        TEXT NOT NULL,
    version     BIGINT NOT NULL,
    locale      TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    title       TEXT NOT NULL CHECK (title <> ''),
    description TEXT NOT NULL,
    markdown    TEXT NOT NULL,
    PRIMARY KEY (page, version, locale),
    FOREIGN KEY (page, version) REFERENCES content_version (page, version)
);

CREATE TRIGGER content_version_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON content_version
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER content_text_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON content_text
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- What a visitor wrote to support. Deleted when its time is over.
CREATE TABLE contact_message (
    id          UUID PRIMARY KEY NOT NULL,
    -- Empty where the visitor gave none.
    name        TEXT NOT NULL,
    email       TEXT NOT NULL,
    message     TEXT NOT NULL CHECK (message <> ''),
    locale      TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- The account it was written in, if the visitor was signed in.
    customer_id UUID,
    -- Where it came from, as a keyed digest: only for counting.
    household   TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX contact_message_by_time ON contact_message (created_at, id);
CREATE INDEX contact_message_by_household ON contact_message (household, created_at);
