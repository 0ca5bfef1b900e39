-- Snapshots of the data of projects' backends. due_at is when the service makes a planned one,
-- or removes another; 0 is never.
CREATE TABLE data_snapshots (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    env        TEXT NOT NULL,
    state      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    "by"       TEXT,
    bytes      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    due_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX data_snapshots_place ON data_snapshots (project_id, env, created_at, id);
CREATE UNIQUE INDEX data_snapshots_planned ON data_snapshots (project_id, env) WHERE state = 'planned';
CREATE INDEX data_snapshots_due ON data_snapshots (due_at, id) WHERE due_at > 0;
