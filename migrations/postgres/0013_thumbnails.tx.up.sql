-- Pictures of projects.
CREATE TABLE thumbnails (
    project_id text COLLATE "C" PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    png        bytea NOT NULL,
    taken_at   bigint NOT NULL
);

-- Pictures are compressed as they are.
ALTER TABLE thumbnails ALTER COLUMN png SET STORAGE EXTERNAL;
