-- What the agent's tool call under way changes, what a run has changed so far, and
-- from where it was resumed.
ALTER TABLE runs ADD COLUMN intent TEXT;
ALTER TABLE runs ADD COLUMN changed TEXT;
ALTER TABLE runs ADD COLUMN mode TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN resumes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resumed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN spent REAL NOT NULL DEFAULT 0;

-- A chat's last plan, and what its oldest part was summarised to.
ALTER TABLE chats ADD COLUMN plan TEXT;
ALTER TABLE chats ADD COLUMN summary TEXT;
