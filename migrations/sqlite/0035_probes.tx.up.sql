-- What a process writes to find out whether the database takes changes.
CREATE TABLE probes (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL
);
