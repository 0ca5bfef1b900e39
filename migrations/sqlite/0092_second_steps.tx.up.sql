-- Sign-ins that wait for a second factor: what was proven, with which credentials, and the wrong
-- codes. Sessions know whether it was given.
ALTER TABLE tickets ADD COLUMN proof TEXT NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tickets ADD COLUMN wrong INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0;
