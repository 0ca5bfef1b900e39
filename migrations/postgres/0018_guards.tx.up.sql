-- Where a session was opened from: an address of IPv4, or a /64 of IPv6.
ALTER TABLE sessions ADD COLUMN network text COLLATE "C" NOT NULL DEFAULT '';
-- How many mails somebody, or a workspace, had sent on a day.
CREATE TABLE mail_counts (
    day     text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    mails   bigint NOT NULL,
    PRIMARY KEY (day, subject)
);
