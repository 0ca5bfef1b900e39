-- The invites to an address, in every workspace.
CREATE INDEX invites_address ON invites (email, created_at, id);
