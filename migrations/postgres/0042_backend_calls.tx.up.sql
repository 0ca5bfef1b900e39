-- The logs of projects' backends: requests for data and runs of functions. console is JSON.
CREATE TABLE backend_calls (
    id         text COLLATE "C" PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    env        text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    method     text COLLATE "C" NOT NULL,
    path       text COLLATE "C" NOT NULL,
    status     integer NOT NULL,
    millis     bigint NOT NULL,
    "user"     text COLLATE "C" NOT NULL,
    error      text COLLATE "C" NOT NULL,
    console    text COLLATE "C",
    omitted    bigint NOT NULL,
    created_at bigint NOT NULL
);

CREATE INDEX backend_calls_list ON backend_calls (project_id, env, kind, created_at, id);
CREATE INDEX backend_calls_age ON backend_calls (created_at);
