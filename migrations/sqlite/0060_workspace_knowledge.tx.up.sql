-- What the agent is told in all projects of a workspace.
ALTER TABLE workspaces ADD COLUMN knowledge TEXT NOT NULL DEFAULT '';
