-- Rooms of projects, and the updates that make their documents. Who holds a room is
-- its owner; without one nobody does.
CREATE TABLE rooms (
    project_id text COLLATE "C" PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    owner      text COLLATE "C",
    held_until bigint NOT NULL,
    epoch      bigint NOT NULL,
    last_seq   bigint NOT NULL,
    bases      text NOT NULL
);

CREATE INDEX rooms_owner ON rooms (owner);

CREATE TABLE room_updates (
    project_id text COLLATE "C" NOT NULL REFERENCES rooms ON DELETE CASCADE,
    seq        bigint NOT NULL,
    data       bytea NOT NULL,
    PRIMARY KEY (project_id, seq)
);
