-- Connections of projects with branches of repositories on other hosts.
CREATE TABLE project_remotes (
    id           text COLLATE "C" PRIMARY KEY,
    project_id   text COLLATE "C" NOT NULL UNIQUE REFERENCES projects ON DELETE CASCADE,
    address      text COLLATE "C" NOT NULL,
    branch       text COLLATE "C" NOT NULL,
    username     text COLLATE "C" NOT NULL,
    sealed       bytea,
    hook_hash    text COLLATE "C" NOT NULL UNIQUE,
    state        text COLLATE "C" NOT NULL,
    problem      text COLLATE "C" NOT NULL,
    conflicts    text COLLATE "C",
    tip          text COLLATE "C" NOT NULL,
    task_id      text COLLATE "C",
    task_tip     text COLLATE "C" NOT NULL,
    failures     bigint NOT NULL,
    due_at       bigint NOT NULL,
    leased_until bigint NOT NULL,
    synced_at    bigint NOT NULL,
    created_by   text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL
);

CREATE INDEX project_remotes_due ON project_remotes (due_at, id);
