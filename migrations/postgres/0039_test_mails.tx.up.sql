-- Mails that end users of projects' test data were sent.
CREATE TABLE test_mails (
    id         text COLLATE "C" PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    "to"       text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    text       text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
);

CREATE INDEX test_mails_project ON test_mails (project_id, created_at, id);
