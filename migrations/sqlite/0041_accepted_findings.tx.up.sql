-- Findings about the data of projects' backends with which a person publishes nevertheless.
CREATE TABLE accepted_findings (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    finding_id TEXT NOT NULL,
    "by"       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, finding_id)
) STRICT, WITHOUT ROWID;
