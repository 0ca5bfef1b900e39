-- How much the model of a run shall think: '', off, low, medium or high.
ALTER TABLE runs ADD COLUMN thinking TEXT NOT NULL DEFAULT '';
-- The version that a run made, '' without one: its message says what people wanted of it.
ALTER TABLE runs ADD COLUMN version_id TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_version_idx ON runs (project_id, version_id) WHERE version_id <> '';
