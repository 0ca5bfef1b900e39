package aitest

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// End is how the vendor's side of a model call ends.
type End int

// The ends of a model call.
const (
	// Whole sends the final event.
	Whole End = iota
	// Broken ends the stream without it.
	Broken
	// Hangs sends nothing more until the caller leaves.
	Hangs
	// Complains reports an error inside the stream.
	Complains
	// Refuses answers with a status and no stream.
	Refuses
)

// Script is the behaviour of the vendor's side in every call of a test.
type Script struct {
	// Chunks are sent first, unless the call is refused.
	Chunks []ai.Chunk
	Usage  core.Usage
	End    End
	// Status and RetryAfter, in seconds, belong to Refuses, Text to Refuses
	// and Complains.
	Status     int
	RetryAfter string
	Text       string
}

// Upstream is a provider with a scripted vendor behind it.
type Upstream struct {
	Provider ai.Provider
	// Requests counts the model calls that reached the vendor.
	Requests func() int
	// Left receives a value whenever the vendor sees that a caller went away
	// before the end. It is nil where there is no connection.
	Left <-chan struct{}
}
