-- Projects' claims of names. The indexes of active ones decide who holds a name.
CREATE TABLE domains (
    id            text COLLATE "C" PRIMARY KEY,
    project_id    text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    message       text NOT NULL,
    token         text NOT NULL,
    created_at    bigint NOT NULL,
    checked_at    bigint,
    verified_at   bigint,
    check_at      bigint NOT NULL,
    attempts      bigint NOT NULL,
    failing_since bigint
);

CREATE UNIQUE INDEX domains_project ON domains (project_id, name);
CREATE UNIQUE INDEX domains_holder ON domains (name) WHERE status = 'active';
CREATE UNIQUE INDEX domains_active ON domains (project_id) WHERE status = 'active';
CREATE INDEX domains_due ON domains (check_at, id);
