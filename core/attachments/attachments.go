package attachments

import (
	"context"
	"errors"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
)

// fetchesAtOnce bounds how many images of one message are fetched at a time.
const fetchesAtOnce = 4

// Loader loads images. It may be used by many goroutines.
type Loader struct{ guard netguard.Guard }

// NewLoader returns a loader that reaches addresses through the guard.
func NewLoader(guard netguard.Guard) *Loader { return &Loader{guard} }

// Load returns the images of a message, in order. It keeps none of them.
//
// It returns core.CodeValidationFailed, naming the attachment and the rule, for
// more than 8 images, for data that Inspect refuses, and for a failed fetch. It
// returns core.CodeForbiddenAddress for an address that may not be reached, or that
// redirects to one, and ctx's error if ctx ends. The first failure ends the other
// fetches.
func (l *Loader) Load(ctx context.Context, sources []Source) ([]core.Image, error) {
	if len(sources) > core.MaxAttachments {
		return nil, core.Errorf(core.CodeValidationFailed, "attachments must have at most %d items: remove some", core.MaxAttachments)
	}
	if len(sources) == 0 {
		return nil, nil
	}
	images := make([]core.Image, len(sources))
	for i, source := range sources {
		if source.address != "" {
			continue
		}
		err := source.problem
		if err == nil {
			images[i], err = Inspect(source.data)
		}
		if err != nil {
			return nil, named(i, err)
		}
	}
	return images, l.fetchAll(ctx, sources, images)
}

// fetchAll fetches the images at addresses into images.
func (l *Loader) fetchAll(parent context.Context, sources []Source, images []core.Image) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	semaphore := make(chan struct{}, fetchesAtOnce)
	var group sync.WaitGroup
	for i, source := range sources {
		if source.address == "" {
			continue
		}
		semaphore <- struct{}{}
		group.Go(func() {
			defer func() { <-semaphore }()
			data, err := l.fetch(ctx, source.address)
			if err == nil {
				images[i], err = Inspect(data)
			}
			if err != nil {
				cancel(named(i, err))
			}
		})
	}
	group.Wait()
	if err := parent.Err(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// named says which attachment an error is about.
func named(i int, err error) error {
	var known *core.Error
	if !errors.As(err, &known) {
		return err
	}
	return core.Wrap(known.Code, known.Cause, "attachments[%d].%s", i, known.Message)
}
