-- What a run's message had with it, and the images themselves.
ALTER TABLE runs ADD COLUMN attachments TEXT;

CREATE TABLE attachments (
    id         TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    media_type TEXT NOT NULL,
    data       BLOB NOT NULL
) STRICT;

CREATE INDEX attachments_run ON attachments (run_id);
