-- What projects' published sites say about themselves and who sees them, and counts of their visits.
CREATE TABLE site_settings (
    project_id    text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    title         text COLLATE "C" NOT NULL,
    description   text COLLATE "C" NOT NULL,
    image         text COLLATE "C" NOT NULL,
    favicon       text COLLATE "C" NOT NULL,
    language      text COLLATE "C" NOT NULL,
    robots        text COLLATE "C" NOT NULL,
    access        text COLLATE "C" NOT NULL,
    not_found     text COLLATE "C" NOT NULL,
    updated_at    bigint NOT NULL,
    password_hash text COLLATE "C" NOT NULL,
    revision      bigint NOT NULL
);

CREATE TABLE site_counts (
    project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        bigint NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    count      bigint NOT NULL,
    PRIMARY KEY (project_id, day, kind, name)
);

CREATE INDEX site_counts_day ON site_counts (day);
