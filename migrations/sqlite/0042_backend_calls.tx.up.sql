-- The logs of projects' backends: requests for data and runs of functions. console is JSON.
CREATE TABLE backend_calls (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    env        TEXT NOT NULL,
    kind       TEXT NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    status     INTEGER NOT NULL,
    millis     INTEGER NOT NULL,
    "user"     TEXT NOT NULL,
    error      TEXT NOT NULL,
    console    TEXT,
    omitted    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX backend_calls_list ON backend_calls (project_id, env, kind, created_at, id);
CREATE INDEX backend_calls_age ON backend_calls (created_at);
