-- Rooms of projects, and the updates that make their documents. Who holds a room is
-- its owner; without one nobody does.
CREATE TABLE rooms (
    project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    owner      TEXT,
    held_until INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    bases      TEXT NOT NULL
) STRICT;

CREATE INDEX rooms_owner ON rooms (owner);

CREATE TABLE room_updates (
    project_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    data       BLOB NOT NULL,
    PRIMARY KEY (project_id, seq)
) STRICT;
