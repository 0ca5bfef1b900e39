package memory

import (
	"context"

	"github.com/atelierhq/atelier/adapters/internal/splice"
	"github.com/atelierhq/atelier/ports/markup"
)

var _ markup.Patcher = Patcher{}

// Patcher implements markup.Patcher without a parser of JSX. It guesses where elements
// begin, which type parameters of arrow functions mislead. Of broken sources it notices
// only unclosed elements.
type Patcher struct{}

// NewPatcher returns a patcher.
func NewPatcher() Patcher { return Patcher{} }

// Patch implements markup.Patcher.
func (Patcher) Patch(ctx context.Context, name string, content []byte, patches []markup.Patch) ([]markup.Edit, error) {
	return splice.Patch(ctx, splice.Guess, name, content, patches)
}
