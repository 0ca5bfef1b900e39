-- What people allow programs, with the hashes of the codes and tokens.
CREATE TABLE program_grants (
    id                 text COLLATE "C" PRIMARY KEY,
    user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    session_id         text COLLATE "C" NOT NULL,
    credential_version bigint NOT NULL,
    client_id          text COLLATE "C" NOT NULL,
    name               text NOT NULL,
    host               text NOT NULL,
    redirect           text NOT NULL,
    challenge          text NOT NULL,
    resource           text NOT NULL,
    scopes             text NOT NULL,
    family_hash        text COLLATE "C" NOT NULL UNIQUE,
    code_hash          text COLLATE "C" NOT NULL,
    refresh_hash       text COLLATE "C" NOT NULL,
    access_hash        text COLLATE "C" NOT NULL UNIQUE,
    access_expires_at  bigint NOT NULL,
    expires_at         bigint NOT NULL,
    created_at         bigint NOT NULL,
    last_used_at       bigint NOT NULL
);

CREATE INDEX program_grants_user ON program_grants (user_id, created_at, id);
CREATE INDEX program_grants_expiry ON program_grants (expires_at);
