-- Environment values of projects, sealed.
CREATE TABLE variables (
    project_id   TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    key          TEXT NOT NULL,
    sealed_value BLOB NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT;
