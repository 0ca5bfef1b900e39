-- Working copies of projects, and the tasks on them.
ALTER TABLE projects ADD COLUMN copy_of text COLLATE "C" REFERENCES projects ON DELETE CASCADE;

CREATE INDEX projects_copy_of ON projects (copy_of) WHERE copy_of IS NOT NULL;

CREATE TABLE tasks (
    id         text COLLATE "C" PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    copy_id    text COLLATE "C" NOT NULL,
    chat_id    text COLLATE "C" NOT NULL,
    title      text COLLATE "C" NOT NULL,
    state      text COLLATE "C" NOT NULL,
    text       text COLLATE "C" NOT NULL,
    mode       text COLLATE "C" NOT NULL,
    model      text COLLATE "C" NOT NULL,
    base       text COLLATE "C" NOT NULL,
    work       text COLLATE "C" NOT NULL,
    resolving  boolean NOT NULL,
    by         text COLLATE "C" NOT NULL,
    conflicts  text COLLATE "C",
    problem    text COLLATE "C" NOT NULL,
    version_id text COLLATE "C" NOT NULL,
    checks     text COLLATE "C" NOT NULL,
    due_at     bigint NOT NULL,
    created_by text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

CREATE INDEX tasks_of_project ON tasks (project_id, created_at, id);
CREATE INDEX tasks_due ON tasks (due_at) WHERE due_at > 0;
