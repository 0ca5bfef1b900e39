-- Admins of the installation, and accounts that they disabled. Where there are people already, the
-- earliest account is the admin's.
ALTER TABLE users ADD COLUMN admin boolean NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN disabled_at bigint NOT NULL DEFAULT 0;
UPDATE users SET admin = TRUE WHERE id = (SELECT id FROM users ORDER BY created_at, id LIMIT 1);

CREATE INDEX users_age ON users (created_at, id);
