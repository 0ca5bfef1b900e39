-- The keys of names in lists that are sorted by names. Rows from before get theirs, and
-- words of a search without accents, from the program (Store.fillSortNames).
ALTER TABLE projects ADD COLUMN sort_name text COLLATE "C" NOT NULL DEFAULT '';

-- The list of all public projects.
CREATE INDEX projects_public ON projects (created_at, id) WHERE visibility = 'public' AND deleted_at IS NULL;

-- What is in the trash.
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
