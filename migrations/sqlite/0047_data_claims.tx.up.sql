-- Which process has the data of a project's backend. The token fences earlier owners off. A claim
-- outlives its project until the data is removed.
CREATE TABLE data_claims (
    project_id TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    address    TEXT NOT NULL,
    token      INTEGER NOT NULL,
    held_until INTEGER NOT NULL
) STRICT;

CREATE INDEX data_claims_owner ON data_claims (owner);
