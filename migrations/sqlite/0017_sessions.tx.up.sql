-- What sign-ins opened. A session that has ended stays until its tokens have run out.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    token_id   TEXT NOT NULL,
    -- The refresh tokens that were used a moment ago, and when, as JSON.
    spent      TEXT,
    signed_up  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
