-- The hosts that the agent's commands may reach, as a JSON list.
ALTER TABLE workspaces ADD COLUMN command_hosts text NOT NULL DEFAULT '[]';
