-- What projects' published sites say about themselves and who sees them, and counts of their visits.
CREATE TABLE site_settings (
    project_id    TEXT NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    title         TEXT NOT NULL,
    description   TEXT NOT NULL,
    image         TEXT NOT NULL,
    favicon       TEXT NOT NULL,
    language      TEXT NOT NULL,
    robots        TEXT NOT NULL,
    access        TEXT NOT NULL,
    not_found     TEXT NOT NULL,
    updated_at    INTEGER NOT NULL,
    password_hash TEXT NOT NULL,
    revision      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE site_counts (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (project_id, day, kind, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX site_counts_day ON site_counts (day);
