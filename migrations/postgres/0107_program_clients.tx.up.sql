-- Programs that registered themselves, so that people can let them act for them.
CREATE TABLE program_clients (
    id         text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    redirects  text NOT NULL,
    created_at bigint NOT NULL,
    used_at    bigint NOT NULL
);

CREATE INDEX program_clients_used ON program_clients (used_at, created_at);
