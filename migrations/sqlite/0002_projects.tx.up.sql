CREATE TABLE folders (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    parent_id    TEXT REFERENCES folders ON DELETE SET NULL,
    name         TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX folders_workspace ON folders (workspace_id, name, id);
CREATE INDEX folders_parent ON folders (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE projects (
    id             TEXT PRIMARY KEY,
    workspace_id   TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    folder_id      TEXT REFERENCES folders ON DELETE SET NULL,
    slug           TEXT NOT NULL,
    name           TEXT NOT NULL,
    description    TEXT,
    template       TEXT,
    visibility     TEXT NOT NULL,
    thumbnail_url  TEXT,
    published_at   INTEGER,
    custom_domain  TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    deleted_at     INTEGER,
    created_by     TEXT NOT NULL,
    published_slug TEXT,
    deployment_id  TEXT,
    -- The words of name and description, folded, each behind a space.
    search         TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX projects_slug ON projects (workspace_id, slug);
CREATE UNIQUE INDEX projects_published_slug ON projects (published_slug);
CREATE INDEX projects_age ON projects (workspace_id, created_at, id);
CREATE INDEX projects_folder ON projects (folder_id) WHERE folder_id IS NOT NULL;

CREATE TABLE project_files (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    path       TEXT NOT NULL,
    size       INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    etag       TEXT NOT NULL,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_revisions (
    project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    revision   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deployments (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    url        TEXT NOT NULL,
    slug       TEXT NOT NULL,
    status     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    "by"       TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    version_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deployments_project ON deployments (project_id, created_at, id);
