-- Second factors of people. Secrets are sealed, recovery codes are hashes in a JSON array.
CREATE TABLE factors (
    user_id         text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    sealed_secret   bytea,
    confirmed_at    bigint NOT NULL,
    last_step       bigint NOT NULL,
    recovery_hashes text,
    sealed_pending  bytea,
    pending_until   bigint NOT NULL
);
