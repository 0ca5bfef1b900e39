-- Addresses that show a project's pages to whoever has them, until they expire.
CREATE TABLE preview_links (
    id         TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    target     TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX preview_links_project ON preview_links (project_id);
