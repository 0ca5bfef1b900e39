-- Where a session was opened from: an address of IPv4, or a /64 of IPv6.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';
-- How many mails somebody, or a workspace, had sent on a day.
CREATE TABLE mail_counts (
    day     TEXT NOT NULL,
    subject TEXT NOT NULL,
    mails   INTEGER NOT NULL,
    PRIMARY KEY (day, subject)
) STRICT, WITHOUT ROWID;
