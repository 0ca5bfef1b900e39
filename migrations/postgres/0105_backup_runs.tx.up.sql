-- The latest try to make a backup, as JSON. The table has one record.
CREATE TABLE backup_runs (
    id      bigint NOT NULL PRIMARY KEY,
    content text NOT NULL
);
