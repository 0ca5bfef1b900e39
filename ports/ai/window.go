package ai

import "context"

// WindowReporter is a Provider whose server tells the windows of its models. It may be used by many
// goroutines.
type WindowReporter interface {
	// Window reports what the server tells of a model's window. It loads no model. Failures are like
	// those of Provider.Models.
	Window(ctx context.Context, model string) (Window, error)
}

// Loader is a Provider whose server loads models into its memory. It may be used by many goroutines.
type Loader interface {
	// Load has the server load a model with the window that it gives by itself, which takes as long as
	// with a call. Failures are like those of Provider.Models.
	Load(ctx context.Context, model string) error
}

// Window is what a server tells of a model's window, in tokens. 0 is unknown.
type Window struct {
	// Model is the most that the model can have.
	Model int
	// Loaded is what it has in memory now. Observed says that 0 means that it is not there.
	Loaded   int
	Observed bool
	// Server is what the server gives it if a request asks for none.
	Server int
	// Fixed says that requests cannot set it: it is Model.
	Fixed bool
	// Spilled says that the model in memory does not fit into that of the graphics processor, and is slow.
	Spilled bool
}
