-- What a model call may still spend belongs to its run, and goes with it.
ALTER TABLE workspaces DROP COLUMN credit_reserved;
ALTER TABLE runs ADD COLUMN credit_held REAL NOT NULL DEFAULT 0;

CREATE INDEX runs_running ON runs (workspace_id) WHERE status = 'running';
