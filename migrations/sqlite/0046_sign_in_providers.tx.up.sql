-- Providers of OAuth with which end users of projects' backends sign in. Secrets are sealed.
CREATE TABLE sign_in_providers (
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    env           TEXT NOT NULL,
    name          TEXT NOT NULL,
    client_id     TEXT NOT NULL,
    sealed_secret BLOB NOT NULL,
    display_name  TEXT NOT NULL,
    auth_url      TEXT NOT NULL,
    token_url     TEXT NOT NULL,
    user_info_url TEXT NOT NULL,
    pkce          INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (project_id, env, name)
) STRICT;
