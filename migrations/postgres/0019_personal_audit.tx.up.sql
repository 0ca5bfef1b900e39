-- Events of an account are the person's, and not those of every workspace that the
-- person is in. The log of a workspace that is gone stays for the operator.
CREATE TABLE audit_log (
    id           text COLLATE "C" PRIMARY KEY,
    -- '' for an event of an account.
    workspace_id text COLLATE "C" NOT NULL,
    -- '' for an event of a workspace.
    person_id    text COLLATE "C" NOT NULL,
    action       text NOT NULL,
    -- Who it was, as JSON: a copy, because the entry outlives the account.
    actor        text,
    target       text NOT NULL,
    ip           text NOT NULL,
    created_at   bigint NOT NULL
);

-- An account's event stood in the log of every workspace: once is enough.
INSERT INTO audit_log (id, workspace_id, person_id, action, actor, target, ip, created_at)
SELECT MIN(id), '', COALESCE((actor::json ->> 'userId'), (SELECT u.id FROM users AS u WHERE u.email = target), ''), action, actor, target, ip, created_at
FROM audit_entries
WHERE action LIKE 'auth.%' OR action LIKE 'token.%' OR action LIKE 'subscription.%'
GROUP BY action, actor, target, ip, created_at;

INSERT INTO audit_log (id, workspace_id, person_id, action, actor, target, ip, created_at)
SELECT id, workspace_id, '', action, actor, target, ip, created_at
FROM audit_entries
WHERE NOT (action LIKE 'auth.%' OR action LIKE 'token.%' OR action LIKE 'subscription.%');

DROP TABLE audit_entries;
ALTER TABLE audit_log RENAME TO audit_entries;

CREATE INDEX audit_entries_workspace ON audit_entries (workspace_id, created_at, id);
CREATE INDEX audit_entries_person ON audit_entries (person_id, created_at, id) WHERE person_id <> '';
CREATE INDEX audit_entries_age ON audit_entries (created_at);
