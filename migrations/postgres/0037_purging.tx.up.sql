-- Whether a deleted project is being removed for good: then it cannot be restored, and what
-- a crash leaves of it is removed later.
ALTER TABLE projects ADD COLUMN purging boolean NOT NULL DEFAULT false;

CREATE INDEX projects_purging ON projects (id) WHERE purging;
