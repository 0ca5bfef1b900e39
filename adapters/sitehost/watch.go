package sitehost

import (
	"context"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/core"
)

// watchEvery is how often it is asked whether the caller of a request that is still being answered, a
// stream for example, may see what it is about.
const watchEvery = 5 * time.Second

// watch returns a request whose context ends once maySee says no. done must be called in the end.
func watch(r *http.Request, maySee func(ctx context.Context) bool) (watched *http.Request, done func()) {
	ctx, cancel := context.WithCancel(r.Context())
	// A goroutine for each of thousands of streams would cost a stack each.
	var timer *time.Timer
	started := make(chan struct{})
	timer = time.AfterFunc(watchEvery, func() {
		<-started
		if !maySee(ctx) {
			cancel()
		} else if ctx.Err() == nil {
			timer.Reset(watchEvery)
		}
	})
	close(started)
	return r.WithContext(ctx), func() { timer.Stop(); cancel() }
}

// isThere makes a look-up an answer for watch. If nobody can tell, all is as it was.
func isThere(err error) bool { return !core.IsCode(err, core.CodeNotFound) }
