-- The secret of the link that the inviter may hand over. It is another than the mailed
-- one: who comes by it has not shown that the address is theirs.
ALTER TABLE invites ADD COLUMN link_hash TEXT;

CREATE UNIQUE INDEX invites_link ON invites (link_hash);
