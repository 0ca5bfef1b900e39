-- MCP servers whose tools the agents of workspaces may call.
CREATE TABLE connectors (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name         text COLLATE "C" NOT NULL,
    url          text COLLATE "C" NOT NULL,
    header_names text COLLATE "C",
    sealed       bytea,
    tools        text COLLATE "C",
    refused      bigint NOT NULL,
    problem      text COLLATE "C" NOT NULL,
    refreshed_at bigint NOT NULL,
    created_by   text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL
);

CREATE INDEX connectors_of_workspace ON connectors (workspace_id, created_at, id);
