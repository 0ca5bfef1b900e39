-- Addresses of other programs to which events of workspaces are sent.
CREATE TABLE webhooks (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    project_id    TEXT REFERENCES projects ON DELETE CASCADE,
    url           TEXT NOT NULL,
    description   TEXT NOT NULL,
    events        TEXT,
    stopped       TEXT NOT NULL,
    sealed        BLOB,
    sealed_former BLOB,
    former_until  INTEGER NOT NULL,
    failing_since INTEGER NOT NULL,
    created_by    TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id, created_at, id);
CREATE INDEX webhooks_of_project ON webhooks (project_id) WHERE project_id IS NOT NULL;
