-- The fingerprint of the schema that a snapshot's data has. It is not known of older snapshots.
ALTER TABLE data_snapshots ADD COLUMN schema_print text COLLATE "C" NOT NULL DEFAULT '';
