-- What people see of their sessions: the program, the address, and when it was last there.
ALTER TABLE sessions ADD COLUMN device text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_seen_at bigint NOT NULL DEFAULT 0;
UPDATE sessions SET last_seen_at = created_at;
