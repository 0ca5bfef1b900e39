package backend

import "context"

// Load counts the places that an engine has open.
type Load struct {
	// Open counts the open places. Bytes is the size of their databases on the disk.
	Open  int
	Bytes int64
	// Failures counts the ends of workers that nobody had asked for, since the engine was made.
	Failures int64
}

// LoadGauge is implemented by an engine that closes what is not in use.
type LoadGauge interface {
	// Load returns the present load. It opens nothing, and starts nothing.
	Load(ctx context.Context) (Load, error)
}
