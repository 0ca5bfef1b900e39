-- What is sent to webhooks, and the log of that.
CREATE TABLE webhook_deliveries (
    id           TEXT PRIMARY KEY,
    webhook_id   TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    message_id   TEXT NOT NULL,
    event        TEXT NOT NULL,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL,
    attempts     INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    attempted_at INTEGER NOT NULL,
    millis       INTEGER NOT NULL,
    status       INTEGER NOT NULL,
    response     TEXT NOT NULL,
    problem      TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, id) WHERE due_at > 0;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);
