-- Grows with every change after which the addresses of a project's preview must be others,
-- so that none of them ever becomes valid again.
ALTER TABLE projects ADD COLUMN preview_version bigint NOT NULL DEFAULT 0;
