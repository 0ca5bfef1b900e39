-- Projects that workspaces share as templates. What a template holds has a table of its own, so that
-- lists do not read it.
CREATE TABLE shared_templates (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    project_id   TEXT REFERENCES projects ON DELETE SET NULL,
    name         TEXT NOT NULL,
    description  TEXT NOT NULL,
    with_seed    INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    taken_at     INTEGER NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX shared_templates_of_workspace ON shared_templates (workspace_id, created_at, id);
CREATE INDEX shared_templates_of_project ON shared_templates (project_id);

CREATE TABLE shared_template_contents (
    template_id TEXT PRIMARY KEY REFERENCES shared_templates ON DELETE CASCADE,
    archive     BLOB NOT NULL,
    picture     BLOB
) STRICT;
