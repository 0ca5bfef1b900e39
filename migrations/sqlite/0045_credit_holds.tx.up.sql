-- What model calls of projects' functions may still spend.
CREATE TABLE credit_holds (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    amount       REAL NOT NULL,
    payer        TEXT NOT NULL,
    until        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX credit_holds_workspace ON credit_holds (workspace_id);
CREATE INDEX credit_holds_payer ON credit_holds (payer);
