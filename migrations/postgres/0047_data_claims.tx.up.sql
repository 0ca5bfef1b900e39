-- Which process has the data of a project's backend. The token fences earlier owners off. A claim
-- outlives its project until the data is removed.
CREATE TABLE data_claims (
    project_id text COLLATE "C" PRIMARY KEY,
    owner      text COLLATE "C" NOT NULL,
    address    text COLLATE "C" NOT NULL,
    token      bigint NOT NULL,
    held_until bigint NOT NULL
);

CREATE INDEX data_claims_owner ON data_claims (owner);
