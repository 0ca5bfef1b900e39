-- A process marks a project before it changes the disk, so that others know when it
-- died before the cache had caught up.
ALTER TABLE file_revisions ADD COLUMN unsettled boolean NOT NULL DEFAULT false;
