CREATE TABLE identities (
    provider   TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_user ON identities (user_id, created_at);

CREATE TABLE tickets (
    kind       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    user_id    TEXT REFERENCES users ON DELETE CASCADE,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX tickets_user ON tickets (user_id, kind) WHERE user_id IS NOT NULL;
CREATE INDEX tickets_expiry ON tickets (expires_at);

CREATE TABLE api_tokens (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    name         TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    token_hash   TEXT NOT NULL,
    last_used_at INTEGER,
    expires_at   INTEGER,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_tokens_hash ON api_tokens (token_hash);
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at, id);

CREATE TABLE subscriptions (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    kind           TEXT NOT NULL,
    name           TEXT NOT NULL,
    key_hint       TEXT NOT NULL,
    sealed_key     BLOB,
    sealed_refresh BLOB,
    expires_at     INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A user has one subscription of a kind at most.
CREATE UNIQUE INDEX subscriptions_kind ON subscriptions (user_id, kind);

CREATE TABLE invites (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    email        TEXT NOT NULL,
    role         TEXT NOT NULL,
    invited_by   TEXT NOT NULL,
    token_hash   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An address has one invite to a workspace at most.
CREATE UNIQUE INDEX invites_email ON invites (workspace_id, email);
CREATE UNIQUE INDEX invites_hash ON invites (token_hash);
CREATE INDEX invites_age ON invites (workspace_id, created_at, id);
CREATE INDEX invites_expiry ON invites (expires_at);
