-- Functions of deployments that run by the clock.
CREATE TABLE function_schedules (
    deployment_id TEXT NOT NULL REFERENCES deployments ON DELETE CASCADE,
    name          TEXT NOT NULL,
    project_id    TEXT NOT NULL,
    schedule      TEXT NOT NULL,
    due_at        INTEGER NOT NULL,
    busy_until    INTEGER NOT NULL,
    PRIMARY KEY (deployment_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX function_schedules_due ON function_schedules (due_at);
