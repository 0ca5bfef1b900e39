-- What a run's message had with it, and the images themselves.
ALTER TABLE runs ADD COLUMN attachments text;

CREATE TABLE attachments (
    id         text COLLATE "C" PRIMARY KEY,
    run_id     text COLLATE "C" NOT NULL REFERENCES runs ON DELETE CASCADE,
    media_type text NOT NULL,
    data       bytea NOT NULL
);

-- Images are compressed as they are.
ALTER TABLE attachments ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE INDEX attachments_run ON attachments (run_id);
