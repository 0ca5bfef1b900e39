CREATE TABLE modes (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name               text COLLATE "C" NOT NULL,
    prompt             text NOT NULL,
    -- A list of names, as JSON.
    tools              text NOT NULL,
    model              text,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

CREATE UNIQUE INDEX modes_name ON modes (workspace_id, name);

CREATE TABLE mails (
    id                 text COLLATE "C" PRIMARY KEY,
    sealed             bytea NOT NULL,
    attempts           bigint NOT NULL,
    due_at             bigint NOT NULL,
    created_at         bigint NOT NULL
);

CREATE INDEX mails_due ON mails (due_at, id);

CREATE TABLE audit_entries (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    action             text NOT NULL,
    -- Who it was, as JSON: a copy, because the entry outlives the account.
    actor              text,
    target             text NOT NULL,
    ip                 text NOT NULL,
    created_at         bigint NOT NULL
);

CREATE INDEX audit_entries_workspace ON audit_entries (workspace_id, created_at, id);
CREATE INDEX audit_entries_age ON audit_entries (created_at);
