CREATE TABLE folders (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    parent_id          text COLLATE "C" REFERENCES folders ON DELETE SET NULL,
    name               text COLLATE "C" NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

CREATE INDEX folders_workspace ON folders (workspace_id, name, id);
CREATE INDEX folders_parent ON folders (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE projects (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    folder_id          text COLLATE "C" REFERENCES folders ON DELETE SET NULL,
    slug               text COLLATE "C" NOT NULL,
    name               text NOT NULL,
    description        text,
    template           text,
    visibility         text NOT NULL,
    thumbnail_url      text,
    published_at       bigint,
    custom_domain      text,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    deleted_at         bigint,
    created_by         text NOT NULL,
    published_slug     text COLLATE "C",
    deployment_id      text,
    -- The words of name and description, folded, each behind a space.
    search             text NOT NULL
);

CREATE UNIQUE INDEX projects_slug ON projects (workspace_id, slug);
CREATE UNIQUE INDEX projects_published_slug ON projects (published_slug);
CREATE INDEX projects_age ON projects (workspace_id, created_at, id);
CREATE INDEX projects_folder ON projects (folder_id) WHERE folder_id IS NOT NULL;

CREATE TABLE project_files (
    project_id         text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    path               text COLLATE "C" NOT NULL,
    size               bigint NOT NULL,
    updated_at         bigint NOT NULL,
    etag               text NOT NULL,
    PRIMARY KEY (project_id, path)
);

CREATE TABLE file_revisions (
    project_id         text COLLATE "C" PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    revision           bigint NOT NULL
);

CREATE TABLE deployments (
    id                 text COLLATE "C" PRIMARY KEY,
    project_id         text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    url                text NOT NULL,
    slug               text COLLATE "C" NOT NULL,
    status             text NOT NULL,
    created_at         bigint NOT NULL,
    "by"               text NOT NULL,
    bytes              bigint NOT NULL,
    version_id         text NOT NULL
);

CREATE INDEX deployments_project ON deployments (project_id, created_at, id);
