-- Addresses of other programs to which events of workspaces are sent.
CREATE TABLE webhooks (
    id            text COLLATE "C" PRIMARY KEY,
    workspace_id  text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    project_id    text COLLATE "C" REFERENCES projects ON DELETE CASCADE,
    url           text COLLATE "C" NOT NULL,
    description   text COLLATE "C" NOT NULL,
    events        text COLLATE "C",
    stopped       text COLLATE "C" NOT NULL,
    sealed        bytea,
    sealed_former bytea,
    former_until  bigint NOT NULL,
    failing_since bigint NOT NULL,
    created_by    text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);

CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id, created_at, id);
CREATE INDEX webhooks_of_project ON webhooks (project_id) WHERE project_id IS NOT NULL;
