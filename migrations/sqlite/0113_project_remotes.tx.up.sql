-- Connections of projects with branches of repositories on other hosts.
CREATE TABLE project_remotes (
    id           TEXT PRIMARY KEY,
    project_id   TEXT NOT NULL UNIQUE REFERENCES projects ON DELETE CASCADE,
    address      TEXT NOT NULL,
    branch       TEXT NOT NULL,
    username     TEXT NOT NULL,
    sealed       BLOB,
    hook_hash    TEXT NOT NULL UNIQUE,
    state        TEXT NOT NULL,
    problem      TEXT NOT NULL,
    conflicts    TEXT,
    tip          TEXT NOT NULL,
    task_id      TEXT,
    task_tip     TEXT NOT NULL,
    failures     INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    leased_until INTEGER NOT NULL,
    synced_at    INTEGER NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX project_remotes_due ON project_remotes (due_at, id);
