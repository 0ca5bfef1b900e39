-- Snapshots of the data of projects' backends. due_at is when the service makes a planned one,
-- or removes another; 0 is never.
CREATE TABLE data_snapshots (
    id         text COLLATE "C" PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    env        text COLLATE "C" NOT NULL,
    state      text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    "by"       text COLLATE "C",
    bytes      bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at     bigint NOT NULL
);

CREATE INDEX data_snapshots_place ON data_snapshots (project_id, env, created_at, id);
CREATE UNIQUE INDEX data_snapshots_planned ON data_snapshots (project_id, env) WHERE state = 'planned';
CREATE INDEX data_snapshots_due ON data_snapshots (due_at, id) WHERE due_at > 0;
