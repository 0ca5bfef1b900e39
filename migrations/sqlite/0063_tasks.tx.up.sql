-- Working copies of projects, and the tasks on them.
ALTER TABLE projects ADD COLUMN copy_of TEXT REFERENCES projects ON DELETE CASCADE;

CREATE INDEX projects_copy_of ON projects (copy_of) WHERE copy_of IS NOT NULL;

CREATE TABLE tasks (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    copy_id    TEXT NOT NULL,
    chat_id    TEXT NOT NULL,
    title      TEXT NOT NULL,
    state      TEXT NOT NULL,
    text       TEXT NOT NULL,
    mode       TEXT NOT NULL,
    model      TEXT NOT NULL,
    base       TEXT NOT NULL,
    work       TEXT NOT NULL,
    resolving  INTEGER NOT NULL,
    by         TEXT NOT NULL,
    conflicts  TEXT,
    problem    TEXT NOT NULL,
    version_id TEXT NOT NULL,
    checks     TEXT NOT NULL,
    due_at     INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tasks_of_project ON tasks (project_id, created_at, id);
CREATE INDEX tasks_due ON tasks (due_at) WHERE due_at > 0;
