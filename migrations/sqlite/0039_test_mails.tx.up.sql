-- Mails that end users of projects' test data were sent.
CREATE TABLE test_mails (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    "to"       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX test_mails_project ON test_mails (project_id, created_at, id);
