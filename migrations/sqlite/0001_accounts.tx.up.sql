CREATE TABLE users (
    id                 TEXT PRIMARY KEY,
    email              TEXT NOT NULL,
    display_name       TEXT,
    avatar_url         TEXT,
    email_verified     INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    password_hash      TEXT NOT NULL,
    credential_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE workspaces (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    slug            TEXT NOT NULL,
    personal        INTEGER NOT NULL,
    credit_limit    REAL,
    credit_used     REAL NOT NULL,
    credit_reserved REAL NOT NULL,
    members_version INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memberships (
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    role         TEXT NOT NULL,
    joined_at    INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE providers (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    name          TEXT NOT NULL,
    base_url      TEXT,
    default_model TEXT,
    is_default    INTEGER NOT NULL,
    has_key       INTEGER NOT NULL,
    key_hint      TEXT,
    capabilities  TEXT,
    sealed_key    BLOB,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX providers_workspace ON providers (workspace_id, created_at, id);

-- A workspace has one default provider at most.
CREATE UNIQUE INDEX providers_default ON providers (workspace_id) WHERE is_default;

CREATE TABLE usage (
    workspace_id  TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    day           TEXT NOT NULL,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL NOT NULL,
    PRIMARY KEY (workspace_id, day, model)
) STRICT, WITHOUT ROWID;
