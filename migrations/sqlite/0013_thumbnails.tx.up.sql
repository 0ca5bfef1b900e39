-- Pictures of projects.
CREATE TABLE thumbnails (
    project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    png        BLOB NOT NULL,
    taken_at   INTEGER NOT NULL
) STRICT;
