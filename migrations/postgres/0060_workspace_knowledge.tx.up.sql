-- What the agent is told in all projects of a workspace.
ALTER TABLE workspaces ADD COLUMN knowledge text NOT NULL DEFAULT '';
