-- OpenID providers with which people of companies sign in. The client secret is sealed; lists are JSON.
CREATE TABLE company_providers (
    id            text COLLATE "C" PRIMARY KEY,
    slug          text COLLATE "C" NOT NULL UNIQUE,
    name          text COLLATE "C" NOT NULL,
    issuer        text COLLATE "C" NOT NULL,
    client_id     text COLLATE "C" NOT NULL,
    sealed_secret bytea,
    scopes        text COLLATE "C",
    domains       text COLLATE "C",
    groups_claim  text COLLATE "C" NOT NULL,
    mappings      text COLLATE "C",
    "only"        boolean NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
