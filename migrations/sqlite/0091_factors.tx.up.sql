-- Second factors of people. Secrets are sealed, recovery codes are hashes in a JSON array.
CREATE TABLE factors (
    user_id         TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    sealed_secret   BLOB,
    confirmed_at    INTEGER NOT NULL,
    last_step       INTEGER NOT NULL,
    recovery_hashes TEXT,
    sealed_pending  BLOB,
    pending_until   INTEGER NOT NULL
) STRICT;
