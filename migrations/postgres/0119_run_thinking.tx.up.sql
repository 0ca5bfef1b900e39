-- How much the model of a run shall think: '', off, low, medium or high.
ALTER TABLE runs ADD COLUMN thinking text COLLATE "C" NOT NULL DEFAULT '';
