-- What every room uses: settings, answers kept for repeated requests, and a mark by which the storage proves itself.

CREATE TABLE setting (
    name       TEXT PRIMARY KEY NOT NULL,
    value      TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by BLOB
);

CREATE TABLE idempotency (
    scope       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE storage_probe (
    mark BIGINT NOT NULL
);
INSERT INTO storage_probe (mark) VALUES (0);
