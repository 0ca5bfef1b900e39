-- Where a session was opened from: an address of IPv4, or a /64 of IPv6.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';
