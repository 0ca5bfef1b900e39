CREATE TABLE users (
    id                 text COLLATE "C" PRIMARY KEY,
    email              text COLLATE "C" NOT NULL,
    display_name       text,
    avatar_url         text,
    email_verified     boolean NOT NULL,
    created_at         bigint NOT NULL,
    password_hash      text NOT NULL,
    credential_version bigint NOT NULL
);

CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE workspaces (
    id                 text COLLATE "C" PRIMARY KEY,
    name               text NOT NULL,
    slug               text COLLATE "C" NOT NULL,
    personal           boolean NOT NULL,
    credit_limit       double precision,
    credit_used        double precision NOT NULL,
    credit_reserved    double precision NOT NULL,
    members_version    bigint NOT NULL,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

CREATE TABLE memberships (
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    role               text NOT NULL,
    joined_at          bigint NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);

CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE providers (
    id                 text COLLATE "C" PRIMARY KEY,
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind               text NOT NULL,
    name               text NOT NULL,
    base_url           text,
    default_model      text,
    is_default         boolean NOT NULL,
    has_key            boolean NOT NULL,
    key_hint           text,
    capabilities       text,
    sealed_key         bytea,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);

CREATE INDEX providers_workspace ON providers (workspace_id, created_at, id);

-- A workspace has one default provider at most.
CREATE UNIQUE INDEX providers_default ON providers (workspace_id) WHERE is_default;

CREATE TABLE usage (
    workspace_id       text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    day                text COLLATE "C" NOT NULL,
    model              text COLLATE "C" NOT NULL,
    input_tokens       bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    cost               double precision NOT NULL,
    PRIMARY KEY (workspace_id, day, model)
);
