package core

// MailJob is a mail in the queue. Its content is sealed, because it may hold a link
// that gives access.
type MailJob struct {
	ID ID
	// Sealed is the sealed content, bound to the context "mail <ID>".
	Sealed []byte
	// Attempts counts how often sending has been tried.
	Attempts int
	// DueAt is when to try (again).
	DueAt     Time
	CreatedAt Time
}
