package sitehost

import (
	"context"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/core"
)

// watchEvery is Settings.WatchEvery by default.
const watchEvery = 5 * time.Second

// watch is how often it is asked whether the caller of a request that is still being answered, a
// stream for example, may see what it is about.
type watch time.Duration

// over returns a request whose context ends once maySee says no. done must be called in the end.
func (every watch) over(r *http.Request, maySee func(ctx context.Context) bool) (watched *http.Request, done func()) {
	ctx, cancel := context.WithCancel(r.Context())
	// A goroutine for each of thousands of streams would cost a stack each.
	var timer *time.Timer
	started := make(chan struct{})
	timer = time.AfterFunc(time.Duration(every), func() {
		<-started
		if !maySee(ctx) {
			cancel()
		} else if ctx.Err() == nil {
			timer.Reset(time.Duration(every))
		}
	})
	close(started)
	return r.WithContext(ctx), func() { timer.Stop(); cancel() }
}

// isThere makes a look-up an answer for watch. If nobody can tell, all is as it was.
func isThere(err error) bool { return !core.IsCode(err, core.CodeNotFound) }
