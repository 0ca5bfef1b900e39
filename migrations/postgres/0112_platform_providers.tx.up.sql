-- The installation's AI providers, for all workspaces. Keys are sealed.
CREATE TABLE platform_providers (
    id            text COLLATE "C" PRIMARY KEY,
    kind          text NOT NULL,
    name          text NOT NULL,
    base_url      text,
    default_model text,
    is_default    boolean NOT NULL,
    enabled       boolean NOT NULL,
    has_key       boolean NOT NULL,
    key_hint      text,
    capabilities  text,
    sealed_key    bytea,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
