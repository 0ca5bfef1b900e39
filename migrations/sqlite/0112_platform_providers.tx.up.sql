-- The installation's AI providers, for all workspaces. Keys are sealed.
CREATE TABLE platform_providers (
    id            TEXT PRIMARY KEY,
    kind          TEXT NOT NULL,
    name          TEXT NOT NULL,
    base_url      TEXT,
    default_model TEXT,
    is_default    INTEGER NOT NULL,
    enabled       INTEGER NOT NULL,
    has_key       INTEGER NOT NULL,
    key_hint      TEXT,
    capabilities  TEXT,
    sealed_key    BLOB,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
