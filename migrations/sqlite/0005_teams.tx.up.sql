CREATE TABLE modes (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name         TEXT NOT NULL,
    prompt       TEXT NOT NULL,
    -- A list of names, as JSON.
    tools        TEXT NOT NULL,
    model        TEXT,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX modes_name ON modes (workspace_id, name);

CREATE TABLE mails (
    id         TEXT PRIMARY KEY,
    sealed     BLOB NOT NULL,
    attempts   INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mails_due ON mails (due_at, id);

CREATE TABLE audit_entries (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    action       TEXT NOT NULL,
    -- Who it was, as JSON: a copy, because the entry outlives the account.
    actor        TEXT,
    target       TEXT NOT NULL,
    ip           TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_workspace ON audit_entries (workspace_id, created_at, id);
CREATE INDEX audit_entries_age ON audit_entries (created_at);
