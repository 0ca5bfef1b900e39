-- The language of mails to a person, '' until it is known.
ALTER TABLE users ADD COLUMN language text NOT NULL DEFAULT '';
