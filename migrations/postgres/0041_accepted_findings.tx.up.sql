-- Findings about the data of projects' backends with which a person publishes nevertheless.
CREATE TABLE accepted_findings (
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    finding_id text COLLATE "C" NOT NULL,
    "by"       text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (project_id, finding_id)
);
