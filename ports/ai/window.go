package ai

import "context"

// Windowed is a Provider whose server gives a model its window when it loads it. It may be used by many
// goroutines.
type Windowed interface {
	// Window reports what the server tells of a model's window. It loads no model. Failures are like
	// those of Provider.Models.
	Window(ctx context.Context, model string) (Window, error)
}

// Window is what a server tells of a model's window, in tokens. 0 is unknown.
type Window struct {
	// Model is the most that the model can have.
	Model int
	// Loaded is what it has in memory now, 0 also if it is not there.
	Loaded int
	// Server is what the server gives it if a request asks for none.
	Server int
	// Fixed says that requests cannot set it: it is Model.
	Fixed bool
	// Spilled says that the model in memory does not fit into that of the graphics processor, and is slow.
	Spilled bool
}
