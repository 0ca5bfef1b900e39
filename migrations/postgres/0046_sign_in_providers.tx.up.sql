-- Providers of OAuth with which end users of projects' backends sign in. Secrets are sealed.
CREATE TABLE sign_in_providers (
    project_id    text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    env           text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    client_id     text COLLATE "C" NOT NULL,
    sealed_secret bytea NOT NULL,
    display_name  text COLLATE "C" NOT NULL,
    auth_url      text COLLATE "C" NOT NULL,
    token_url     text COLLATE "C" NOT NULL,
    user_info_url text COLLATE "C" NOT NULL,
    pkce          boolean,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    PRIMARY KEY (project_id, env, name)
);
