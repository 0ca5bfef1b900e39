-- MCP servers whose tools the agents of workspaces may call.
CREATE TABLE connectors (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name         TEXT NOT NULL,
    url          TEXT NOT NULL,
    header_names TEXT,
    sealed       BLOB,
    tools        TEXT,
    refused      INTEGER NOT NULL,
    problem      TEXT NOT NULL,
    refreshed_at INTEGER NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX connectors_of_workspace ON connectors (workspace_id, created_at, id);
