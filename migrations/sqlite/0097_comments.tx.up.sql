-- Comments on the pages of projects: the first of a thread has an anchor, a reply has a thread.
CREATE TABLE comments (
    id          TEXT NOT NULL PRIMARY KEY,
    project_id  TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    thread_id   TEXT REFERENCES comments ON DELETE CASCADE,
    text        TEXT NOT NULL,
    anchor      TEXT NOT NULL,
    resolved_at INTEGER NOT NULL,
    resolved_by TEXT NOT NULL,
    created_by  TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    edited_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX comments_threads ON comments (project_id, created_at, id) WHERE thread_id IS NULL;
CREATE INDEX comments_replies ON comments (thread_id, created_at, id) WHERE thread_id IS NOT NULL;
CREATE INDEX comments_author ON comments (project_id, created_by, created_at, id);
