-- What the models of chats were told of their projects, as JSON.
ALTER TABLE chats ADD COLUMN briefing TEXT;
