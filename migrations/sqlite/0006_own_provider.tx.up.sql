-- A run that spends its sender's own AI subscription.
ALTER TABLE runs ADD COLUMN own_provider INTEGER NOT NULL DEFAULT 0;
