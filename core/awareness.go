package core

// Awareness is what a client of a document shows of itself, such as where its cursor
// is, to all others who have the document open.
type Awareness struct {
	// Client is the number under which it edits the document, and Clock counts its
	// changes.
	Client, Clock uint64
	// Value is an object in JSON, nil when the client is gone.
	Value []byte
}
