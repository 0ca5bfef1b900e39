-- Projects' claims of names. The indexes of active ones decide who holds a name.
CREATE TABLE domains (
    id            TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          TEXT NOT NULL,
    status        TEXT NOT NULL,
    message       TEXT NOT NULL,
    token         TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    checked_at    INTEGER,
    verified_at   INTEGER,
    check_at      INTEGER NOT NULL,
    attempts      INTEGER NOT NULL,
    failing_since INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX domains_project ON domains (project_id, name);
CREATE UNIQUE INDEX domains_holder ON domains (name) WHERE status = 'active';
CREATE UNIQUE INDEX domains_active ON domains (project_id) WHERE status = 'active';
CREATE INDEX domains_due ON domains (check_at, id);
