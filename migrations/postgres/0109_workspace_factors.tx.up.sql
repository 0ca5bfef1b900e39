-- Whether members without a second factor may not use a workspace.
ALTER TABLE workspaces ADD COLUMN require_mfa boolean NOT NULL DEFAULT FALSE;
