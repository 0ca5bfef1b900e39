-- What the agent's tool call under way changes, what a run has changed so far, and
-- from where it was resumed.
ALTER TABLE runs ADD COLUMN intent text;
ALTER TABLE runs ADD COLUMN changed text;
ALTER TABLE runs ADD COLUMN mode text NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN resumes bigint NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resumed_at bigint NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN spent double precision NOT NULL DEFAULT 0;

-- A chat's last plan, and what its oldest part was summarised to.
ALTER TABLE chats ADD COLUMN plan text;
ALTER TABLE chats ADD COLUMN summary text;
