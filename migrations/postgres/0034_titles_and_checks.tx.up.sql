-- What the version that was published is called, and what DNS said of each record that a
-- domain needs when the name was last looked at, as JSON.
ALTER TABLE deployments ADD COLUMN title text NOT NULL DEFAULT '';

ALTER TABLE domains ADD COLUMN checks text;
