package core

// MailJob is a mail that waits to be sent. What it says is sealed, because it may
// hold a link that lets somebody in.
type MailJob struct {
	ID ID
	// Sealed is bound to the place "mail <ID>".
	Sealed []byte
	// Attempts counts how often sending has been tried.
	Attempts int
	// DueAt is when to try (again).
	DueAt     Time
	CreatedAt Time
}
