CREATE TABLE identities (
    provider           text COLLATE "C" NOT NULL,
    subject            text COLLATE "C" NOT NULL,
    user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at         bigint NOT NULL,
    PRIMARY KEY (provider, subject)
);

CREATE INDEX identities_user ON identities (user_id, created_at);

CREATE TABLE tickets (
    kind               text COLLATE "C" NOT NULL,
    hash               text COLLATE "C" NOT NULL,
    user_id            text COLLATE "C" REFERENCES users ON DELETE CASCADE,
    expires_at         bigint NOT NULL,
    PRIMARY KEY (kind, hash)
);

CREATE INDEX tickets_user ON tickets (user_id, kind) WHERE user_id IS NOT NULL;
CREATE INDEX tickets_expiry ON tickets (expires_at);

CREATE TABLE api_tokens (
    id                 text COLLATE "C" PRIMARY KEY,
    user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    name               text NOT NULL,
    scopes             text NOT NULL,
    prefix             text NOT NULL,
    token_hash         text COLLATE "C" NOT NULL,
    last_used_at       bigint,
    expires_at         bigint,
    created_at         bigint NOT NULL
);

CREATE UNIQUE INDEX api_tokens_hash ON api_tokens (token_hash);
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at, id);

CREATE TABLE subscriptions (
    id                 text COLLATE "C" PRIMARY KEY,
    user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    kind               text COLLATE "C" NOT NULL,
    name               text NOT NULL,
    key_hint           text NOT NULL,
    sealed_key         bytea,
    sealed_refresh     bytea,
    expires_at         bigint,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

-- A user has one subscription of a kind at most.
CREATE UNIQUE INDEX subscriptions_kind ON subscriptions (user_id, kind);

CREATE TABLE invites (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    email              text COLLATE "C" NOT NULL,
    role               text NOT NULL,
    invited_by         text NOT NULL,
    token_hash         text COLLATE "C" NOT NULL,
    created_at         bigint NOT NULL,
    expires_at         bigint NOT NULL
);

-- An address has one invite to a workspace at most.
CREATE UNIQUE INDEX invites_email ON invites (workspace_id, email);
CREATE UNIQUE INDEX invites_hash ON invites (token_hash);
CREATE INDEX invites_age ON invites (workspace_id, created_at, id);
CREATE INDEX invites_expiry ON invites (expires_at);
