-- What people call versions, and which they have starred.
CREATE TABLE version_marks (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    version    TEXT NOT NULL,
    name       TEXT NOT NULL,
    starred    INTEGER NOT NULL,
    marked_at  INTEGER NOT NULL,
    PRIMARY KEY (project_id, version)
) STRICT, WITHOUT ROWID;
