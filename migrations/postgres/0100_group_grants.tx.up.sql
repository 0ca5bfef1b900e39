-- Roles that groups at these providers gave to people.
CREATE TABLE group_grants (
    provider_id  text COLLATE "C" NOT NULL REFERENCES company_providers ON DELETE CASCADE,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id      text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    role         text COLLATE "C" NOT NULL,
    "before"     text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    PRIMARY KEY (provider_id, user_id, workspace_id)
);

CREATE INDEX group_grants_of_workspace ON group_grants (workspace_id);
CREATE INDEX group_grants_of_user ON group_grants (user_id);
