-- Commands of the chat that workspaces defined.
CREATE TABLE commands (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name         text COLLATE "C" NOT NULL,
    description  text NOT NULL,
    text         text NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL
);

CREATE UNIQUE INDEX commands_name ON commands (workspace_id, name);
