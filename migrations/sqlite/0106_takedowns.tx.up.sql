-- Published sites that an admin of the installation took down.
CREATE TABLE takedowns (
    project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    slug       TEXT NOT NULL,
    reason     TEXT NOT NULL,
    taken_by   TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
