package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/streams"
)

// recheckEvery is how often a stream asks whether its caller's session has ended. With the
// cache of core/accounts it ends within 10 seconds.
const recheckEvery = 6 * time.Second

// bounded lets handle answer with a stream if budget has a place for the caller. The
// request's context is done once ended says that the caller's session is over.
func bounded(budget *streams.Budget, ended func(context.Context, core.Actor) bool, handle rest.Handler) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		done, err := budget.Open(r.Actor.UserID)
		if err != nil {
			return err
		}
		defer done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		// A goroutine for each of thousands of streams would cost a stack each.
		var timer *time.Timer
		started := make(chan struct{})
		timer = time.AfterFunc(recheckEvery, func() {
			<-started
			if ended(ctx, r.Actor) {
				cancel()
			} else if ctx.Err() == nil {
				timer.Reset(recheckEvery)
			}
		})
		close(started)
		defer timer.Stop()
		r.Request = r.WithContext(ctx)
		return handle(w, r)
	}
}
