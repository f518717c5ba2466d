-- Staff come by an invitation, show a second factor, and confirm what matters once more.

-- The language of their letters.
ALTER TABLE staff ADD COLUMN locale TEXT NOT NULL DEFAULT 'ru' CHECK (locale IN ('ru', 'en'));

-- Whether a second factor was shown in the session, and when its bearer last confirmed that it is they.
ALTER TABLE account_session ADD COLUMN proved BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE account_session ADD COLUMN confirmed_at BIGINT;

-- Who is to work here: at most one invitation for an address, its link kept as a digest, deleted when it is taken.
CREATE TABLE staff_invitation (
    id         UUID PRIMARY KEY NOT NULL,
    -- In lower case.
    email      TEXT NOT NULL UNIQUE,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'cashier', 'editor', 'auditor')),
    locale     TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    digest     TEXT NOT NULL UNIQUE,
    -- Nobody where the command line invited.
    invited_by UUID REFERENCES staff (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Links to set a new password, as digests, deleted when used.
CREATE TABLE staff_restore (
    staff_id   UUID PRIMARY KEY NOT NULL REFERENCES staff (id),
    digest     TEXT NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

-- Browsers and addresses an account was used from, as digests.
CREATE TABLE staff_familiar (
    staff_id UUID NOT NULL REFERENCES staff (id),
    mark     TEXT NOT NULL,
    seen_at  BIGINT NOT NULL,
    PRIMARY KEY (staff_id, mark)
);
CREATE INDEX staff_familiar_by_age ON staff_familiar (seen_at);
