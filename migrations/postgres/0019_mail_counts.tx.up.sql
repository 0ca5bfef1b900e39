-- How many mails somebody, or a workspace, had sent on a day.
CREATE TABLE mail_counts (
    day     text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    mails   bigint NOT NULL,
    PRIMARY KEY (day, subject)
);
