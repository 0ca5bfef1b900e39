-- What sign-ins opened. A session that has ended stays until its tokens have run out.
CREATE TABLE sessions (
    id         text COLLATE "C" PRIMARY KEY,
    user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    token_id   text COLLATE "C" NOT NULL,
    -- The refresh tokens that were used a moment ago, and when, as JSON.
    spent      text,
    signed_up  boolean NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at   bigint
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
