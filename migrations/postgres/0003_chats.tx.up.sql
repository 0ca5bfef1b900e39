CREATE TABLE chats (
    id                 text COLLATE "C" PRIMARY KEY,
    project_id         text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    title              text NOT NULL,
    mode               text NOT NULL,
    is_default         boolean NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

CREATE INDEX chats_project ON chats (project_id, created_at, id);

-- The counter of a chat's events: its row's lock puts writers in a line.
CREATE TABLE chat_logs (
    chat_id            text COLLATE "C" PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
    last_seq           bigint NOT NULL
);

CREATE TABLE chat_events (
    chat_id            text COLLATE "C" NOT NULL REFERENCES chats ON DELETE CASCADE,
    seq                bigint NOT NULL,
    type               text NOT NULL,
    created_at         bigint NOT NULL,
    payload            text NOT NULL,
    PRIMARY KEY (chat_id, seq)
);

CREATE TABLE runs (
    id                 text COLLATE "C" PRIMARY KEY,
    chat_id            text COLLATE "C" NOT NULL REFERENCES chats ON DELETE CASCADE,
    project_id         text COLLATE "C" NOT NULL,
    workspace_id       text COLLATE "C" NOT NULL,
    user_id            text COLLATE "C" NOT NULL,
    status             text NOT NULL,
    text               text NOT NULL,
    model              text NOT NULL,
    detached           boolean NOT NULL,
    stop_requested     boolean NOT NULL,
    owner              text NOT NULL,
    lease_until        bigint NOT NULL,
    created_at         bigint NOT NULL,
    ended_at           bigint
);

CREATE INDEX runs_chat ON runs (chat_id);

-- A chat has one run at most that is queued or under way.
CREATE UNIQUE INDEX runs_busy ON runs (chat_id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_queued ON runs (created_at, id) WHERE status = 'queued';
CREATE INDEX runs_lease ON runs (lease_until) WHERE status = 'running';
