-- Roles that groups at these providers gave to people.
CREATE TABLE group_grants (
    provider_id  TEXT NOT NULL REFERENCES company_providers ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    role         TEXT NOT NULL,
    "before"     TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (provider_id, user_id, workspace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX group_grants_of_workspace ON group_grants (workspace_id);
CREATE INDEX group_grants_of_user ON group_grants (user_id);
