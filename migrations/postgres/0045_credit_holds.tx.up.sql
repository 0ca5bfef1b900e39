-- What model calls of projects' functions may still spend.
CREATE TABLE credit_holds (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    amount       double precision NOT NULL,
    payer        text COLLATE "C" NOT NULL,
    until        bigint NOT NULL
);

CREATE INDEX credit_holds_workspace ON credit_holds (workspace_id);
CREATE INDEX credit_holds_payer ON credit_holds (payer);
