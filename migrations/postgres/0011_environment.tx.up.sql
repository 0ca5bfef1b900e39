-- Environment values of projects, sealed.
CREATE TABLE variables (
    project_id   text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    key          text COLLATE "C" NOT NULL,
    sealed_value bytea NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (project_id, key)
);
