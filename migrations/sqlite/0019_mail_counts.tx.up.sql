-- How many mails somebody, or a workspace, had sent on a day.
CREATE TABLE mail_counts (
    day     TEXT NOT NULL,
    subject TEXT NOT NULL,
    mails   INTEGER NOT NULL,
    PRIMARY KEY (day, subject)
) STRICT, WITHOUT ROWID;
