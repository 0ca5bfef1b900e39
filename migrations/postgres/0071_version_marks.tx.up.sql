-- What people call versions, and which they have starred.
CREATE TABLE version_marks (
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    version    text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    starred    boolean NOT NULL,
    marked_at  bigint NOT NULL,
    PRIMARY KEY (project_id, version)
);
