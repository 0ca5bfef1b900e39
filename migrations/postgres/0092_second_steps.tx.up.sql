-- Sign-ins that wait for a second factor: what was proven, with which credentials, and the wrong
-- codes. Sessions know whether it was given.
ALTER TABLE tickets ADD COLUMN proof text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE tickets ADD COLUMN wrong bigint NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
