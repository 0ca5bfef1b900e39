package chromium

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
)

// instance is a running browser process.
type instance struct {
	tenant string
	life   context.Context
	// stop ends the process, and returns when nothing of it is left.
	stop func()
	// isGone reports whether the process can no longer be used.
	isGone func() bool
	// rests counts how often it has come to rest. The pool's mutex guards it.
	rests int
}

// isLost reports whether the process of a context has ended.
func isLost(life context.Context) bool {
	running := chromedp.FromContext(life)
	if life.Err() != nil || running == nil || running.Browser == nil {
		return true
	}
	select {
	case <-running.Browser.LostConnection:
		return true
	default:
		return false
	}
}

// start runs a process in a cage. It outlives ctx.
func start(ctx context.Context, in *cage, tenant string, log *slog.Logger) (*instance, error) {
	child, err := newProcess(in.filter)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the browser did not start")
	}
	allocator, release := chromedp.NewExecAllocator(context.WithoutCancel(ctx), in.options(child)...)
	complain := func(format string, values ...any) {
		log.Debug("browser message", "text", fmt.Sprintf(format, values...))
	}
	life, leave := chromedp.NewContext(allocator, chromedp.WithLogf(complain), chromedp.WithErrorf(complain))
	started, tried := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(tried)
		started <- chromedp.Do(life)
		child.closeChildFiles()
	}()
	made := &instance{tenant: tenant, life: life, isGone: func() bool { return isLost(life) }, stop: sync.OnceFunc(func() {
		leave()
		release()
		<-tried
		child.end()
	})}
	select {
	case err := <-started:
		if err != nil {
			made.stop()
			return nil, core.Wrap(core.CodeUnavailable, err, "the browser did not start")
		}
		return made, nil
	case <-time.After(startLimit):
		made.stop()
		return nil, core.Errorf(core.CodeUnavailable, "the browser did not start within %s", startLimit)
	case <-ctx.Done():
		made.stop()
		return nil, ctx.Err()
	}
}
