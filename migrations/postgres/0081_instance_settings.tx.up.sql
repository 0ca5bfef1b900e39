-- What the admins of the installation decided, as JSON. The table has one record.
CREATE TABLE instance_settings (
    id      bigint NOT NULL PRIMARY KEY,
    content text NOT NULL
);

-- Where there are people already, others may go on signing up until an admin decides otherwise.
INSERT INTO instance_settings (id, content) SELECT 1, '{"signup":"open"}' WHERE EXISTS (SELECT 1 FROM users);

-- Invitations to the installation.
CREATE TABLE instance_invites (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    email      text COLLATE "C" NOT NULL,
    invited_by text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    link_hash  text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX instance_invites_email ON instance_invites (email);
CREATE UNIQUE INDEX instance_invites_token ON instance_invites (token_hash);
CREATE UNIQUE INDEX instance_invites_link ON instance_invites (link_hash);

CREATE INDEX audit_entries_instance ON audit_entries (created_at, id) WHERE workspace_id = '' AND person_id = '';
