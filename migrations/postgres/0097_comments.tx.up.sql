-- Comments on the pages of projects: the first of a thread has an anchor, a reply has a thread.
CREATE TABLE comments (
    id          text COLLATE "C" NOT NULL PRIMARY KEY,
    project_id  text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    thread_id   text COLLATE "C" REFERENCES comments ON DELETE CASCADE,
    text        text COLLATE "C" NOT NULL,
    anchor      text COLLATE "C" NOT NULL,
    resolved_at bigint NOT NULL,
    resolved_by text COLLATE "C" NOT NULL,
    created_by  text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    edited_at   bigint NOT NULL
);

CREATE INDEX comments_threads ON comments (project_id, created_at, id) WHERE thread_id IS NULL;
CREATE INDEX comments_replies ON comments (thread_id, created_at, id) WHERE thread_id IS NOT NULL;
CREATE INDEX comments_author ON comments (project_id, created_by, created_at, id);
