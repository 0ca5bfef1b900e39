-- Programs that registered themselves, so that people can let them act for them.
CREATE TABLE program_clients (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    redirects  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX program_clients_used ON program_clients (used_at, created_at);
