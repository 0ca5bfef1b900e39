package core

// Awareness is the state of a document's client, such as its cursor, that all other
// clients of the document see.
type Awareness struct {
	// Client is the number under which it edits the document, and Clock counts its
	// changes.
	Client, Clock uint64
	// Value is an object in JSON, nil if the client left.
	Value []byte
}
