-- Published sites that an admin of the installation took down.
CREATE TABLE takedowns (
    project_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    slug       text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    taken_by   text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
);
