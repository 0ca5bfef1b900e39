-- People's passkeys, which factors count. transports is a JSON array.
CREATE TABLE passkeys (
    id            text COLLATE "C" PRIMARY KEY,
    user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    name          text NOT NULL,
    synced        boolean NOT NULL,
    created_at    bigint NOT NULL,
    last_used_at  bigint,
    credential_id text COLLATE "C" NOT NULL UNIQUE,
    public_key    bytea NOT NULL,
    sign_count    bigint NOT NULL,
    aaguid        text COLLATE "C" NOT NULL,
    transports    text COLLATE "C"
);

CREATE INDEX passkeys_user ON passkeys (user_id, created_at, id);
ALTER TABLE factors ADD COLUMN passkeys bigint NOT NULL DEFAULT 0;
