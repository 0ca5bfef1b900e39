-- OpenID providers with which people of companies sign in. The client secret is sealed; lists are JSON.
CREATE TABLE company_providers (
    id            TEXT PRIMARY KEY,
    slug          TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    issuer        TEXT NOT NULL,
    client_id     TEXT NOT NULL,
    sealed_secret BLOB,
    scopes        TEXT,
    domains       TEXT,
    groups_claim  TEXT NOT NULL,
    mappings      TEXT,
    "only"        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
