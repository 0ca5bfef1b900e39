-- What else there is to the message of a run that waits: its command, and what it refers to.
ALTER TABLE runs ADD COLUMN said TEXT NOT NULL DEFAULT '{}';
