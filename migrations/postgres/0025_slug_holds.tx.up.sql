-- Addresses of sites that were freed, and the workspaces for which they are kept a while,
-- those too that are gone.
CREATE TABLE slug_holds (
    slug         text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL,
    held_until   bigint NOT NULL
);
