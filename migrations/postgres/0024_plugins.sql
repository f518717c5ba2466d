-- Plugins: which are switched on, how they are set, and what they keep.

CREATE TABLE plugin (
    name       TEXT PRIMARY KEY NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    enabled    BOOLEAN NOT NULL,
    -- What is set, by name: JSON. Secrets are sealed.
    settings   TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE plugin_kept (
    plugin  TEXT NOT NULL,
    name    TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    value   TEXT NOT NULL,
    kept_at BIGINT NOT NULL,
    PRIMARY KEY (plugin, name)
);
