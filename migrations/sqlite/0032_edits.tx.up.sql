-- What people changed by hand becomes a version when they have rested. Whoever looks for
-- what is due finds it here, whichever process the change was made in.
ALTER TABLE file_revisions ADD COLUMN edited_at INTEGER;
ALTER TABLE file_revisions ADD COLUMN edited_by TEXT NOT NULL DEFAULT '';
CREATE INDEX file_revisions_edited ON file_revisions (edited_at) WHERE edited_at IS NOT NULL;
