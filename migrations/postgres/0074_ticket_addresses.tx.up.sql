-- The address to which a ticket's secret was mailed: it proves that address and no other.
ALTER TABLE tickets ADD COLUMN address text COLLATE "C" NOT NULL DEFAULT '';
