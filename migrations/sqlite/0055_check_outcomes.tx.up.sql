-- What became of projects' checks when they were last played, and pictures of the last failures.
CREATE TABLE check_outcomes (
    project_id  TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    name        TEXT NOT NULL,
    passed      INTEGER NOT NULL,
    step        INTEGER NOT NULL,
    message     TEXT NOT NULL,
    millis      INTEGER NOT NULL,
    played_at   INTEGER NOT NULL,
    pictured_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE check_pictures (
    project_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    png        BLOB NOT NULL,
    PRIMARY KEY (project_id, name),
    FOREIGN KEY (project_id, name) REFERENCES check_outcomes ON DELETE CASCADE
) STRICT;
