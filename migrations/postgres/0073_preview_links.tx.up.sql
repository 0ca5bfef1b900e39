-- Addresses that show a project's pages to whoever has them, until they expire.
CREATE TABLE preview_links (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    kind       text COLLATE "C" NOT NULL,
    target     text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    created_by text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX preview_links_project ON preview_links (project_id);
