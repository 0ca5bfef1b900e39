-- The latest try to make a backup, as JSON. The table has one record.
CREATE TABLE backup_runs (
    id      INTEGER NOT NULL PRIMARY KEY,
    content TEXT NOT NULL
) STRICT;
