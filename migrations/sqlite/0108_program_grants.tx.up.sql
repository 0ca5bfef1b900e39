-- What people allow programs, with the hashes of the codes and tokens.
CREATE TABLE program_grants (
    id                 TEXT PRIMARY KEY,
    user_id            TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    session_id         TEXT NOT NULL,
    credential_version INTEGER NOT NULL,
    client_id          TEXT NOT NULL,
    name               TEXT NOT NULL,
    host               TEXT NOT NULL,
    redirect           TEXT NOT NULL,
    challenge          TEXT NOT NULL,
    resource           TEXT NOT NULL,
    scopes             TEXT NOT NULL,
    family_hash        TEXT NOT NULL UNIQUE,
    code_hash          TEXT NOT NULL,
    refresh_hash       TEXT NOT NULL,
    access_hash        TEXT NOT NULL UNIQUE,
    access_expires_at  INTEGER NOT NULL,
    expires_at         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    last_used_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX program_grants_user ON program_grants (user_id, created_at, id);
CREATE INDEX program_grants_expiry ON program_grants (expires_at);
