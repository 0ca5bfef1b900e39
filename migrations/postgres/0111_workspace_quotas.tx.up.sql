-- What admins of the installation gave to a workspace: its quotas, as JSON, and its credit in USD.
ALTER TABLE workspaces ADD COLUMN quotas text NOT NULL DEFAULT '{}';
ALTER TABLE workspaces ADD COLUMN credit_cap double precision;
