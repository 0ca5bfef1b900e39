-- What became of projects' checks when they were last played, and pictures of the last failures.
CREATE TABLE check_outcomes (
    project_id  text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    name        text COLLATE "C" NOT NULL,
    passed      boolean NOT NULL,
    step        bigint NOT NULL,
    message     text COLLATE "C" NOT NULL,
    millis      bigint NOT NULL,
    played_at   bigint NOT NULL,
    pictured_at bigint NOT NULL,
    PRIMARY KEY (project_id, name)
);

CREATE TABLE check_pictures (
    project_id text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    png        bytea NOT NULL,
    PRIMARY KEY (project_id, name),
    FOREIGN KEY (project_id, name) REFERENCES check_outcomes ON DELETE CASCADE
);

-- Pictures are compressed as they are.
ALTER TABLE check_pictures ALTER COLUMN png SET STORAGE EXTERNAL;
