-- The documents that rooms had before their texts were made anew, for clients that come
-- back with edits of those.
CREATE TABLE former_rooms (
    project_id TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE,
    data       BLOB NOT NULL
) STRICT;
