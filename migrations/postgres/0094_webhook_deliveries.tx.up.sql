-- What is sent to webhooks, and the log of that.
CREATE TABLE webhook_deliveries (
    id           text COLLATE "C" PRIMARY KEY,
    webhook_id   text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    message_id   text COLLATE "C" NOT NULL,
    event        text COLLATE "C" NOT NULL,
    payload      text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL,
    attempts     bigint NOT NULL,
    due_at       bigint NOT NULL,
    expires_at   bigint NOT NULL,
    attempted_at bigint NOT NULL,
    millis       bigint NOT NULL,
    status       bigint NOT NULL,
    response     text COLLATE "C" NOT NULL,
    problem      text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL
);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, id) WHERE due_at > 0;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);
