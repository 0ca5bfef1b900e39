-- Addresses of sites that were freed, and the workspaces for which they are kept a while,
-- those too that are gone.
CREATE TABLE slug_holds (
    slug         TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    held_until   INTEGER NOT NULL
) STRICT;
