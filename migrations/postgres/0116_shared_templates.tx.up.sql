-- Projects that workspaces share as templates. What a template holds has a table of its own, so that
-- lists do not read it.
CREATE TABLE shared_templates (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    project_id   text COLLATE "C" REFERENCES projects ON DELETE SET NULL,
    name         text COLLATE "C" NOT NULL,
    description  text COLLATE "C" NOT NULL,
    with_seed    boolean NOT NULL,
    bytes        bigint NOT NULL,
    taken_at     bigint NOT NULL,
    created_by   text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL
);

CREATE INDEX shared_templates_of_workspace ON shared_templates (workspace_id, created_at, id);
CREATE INDEX shared_templates_of_project ON shared_templates (project_id);

CREATE TABLE shared_template_contents (
    template_id text COLLATE "C" PRIMARY KEY REFERENCES shared_templates ON DELETE CASCADE,
    archive     bytea NOT NULL,
    picture     bytea
);

-- Archives and pictures are compressed as they are.
ALTER TABLE shared_template_contents ALTER COLUMN archive SET STORAGE EXTERNAL;
ALTER TABLE shared_template_contents ALTER COLUMN picture SET STORAGE EXTERNAL;
