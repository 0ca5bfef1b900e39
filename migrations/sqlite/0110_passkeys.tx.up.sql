-- People's passkeys, which factors count. transports is a JSON array.
CREATE TABLE passkeys (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    name          TEXT NOT NULL,
    synced        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER,
    credential_id TEXT NOT NULL UNIQUE,
    public_key    BLOB NOT NULL,
    sign_count    INTEGER NOT NULL,
    aaguid        TEXT NOT NULL,
    transports    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_user ON passkeys (user_id, created_at, id);
ALTER TABLE factors ADD COLUMN passkeys INTEGER NOT NULL DEFAULT 0;
