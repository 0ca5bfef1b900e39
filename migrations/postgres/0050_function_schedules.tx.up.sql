-- Functions of deployments that run by the clock.
CREATE TABLE function_schedules (
    deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    project_id    text COLLATE "C" NOT NULL,
    schedule      text COLLATE "C" NOT NULL,
    due_at        bigint NOT NULL,
    busy_until    bigint NOT NULL,
    PRIMARY KEY (deployment_id, name)
);

CREATE INDEX function_schedules_due ON function_schedules (due_at);
