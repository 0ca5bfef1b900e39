CREATE TABLE chats (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    title      TEXT NOT NULL,
    mode       TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX chats_project ON chats (project_id, created_at, id);

-- The counter of a chat's events: its row's lock puts writers in a line.
CREATE TABLE chat_logs (
    chat_id  TEXT PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
    last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chat_events (
    chat_id    TEXT NOT NULL REFERENCES chats ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    type       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    payload    TEXT NOT NULL,
    PRIMARY KEY (chat_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    id             TEXT PRIMARY KEY,
    chat_id        TEXT NOT NULL REFERENCES chats ON DELETE CASCADE,
    project_id     TEXT NOT NULL,
    workspace_id   TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    status         TEXT NOT NULL,
    text           TEXT NOT NULL,
    model          TEXT NOT NULL,
    detached       INTEGER NOT NULL,
    stop_requested INTEGER NOT NULL,
    owner          TEXT NOT NULL,
    lease_until    INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    ended_at       INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_chat ON runs (chat_id);

-- A chat has one run at most that is queued or under way.
CREATE UNIQUE INDEX runs_busy ON runs (chat_id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_queued ON runs (created_at, id) WHERE status = 'queued';
CREATE INDEX runs_lease ON runs (lease_until) WHERE status = 'running';
