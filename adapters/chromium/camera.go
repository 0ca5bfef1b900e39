// Package chromium takes pictures of pages with Chromium, inside bubblewrap.
//
// A page of a project is somebody's code, so the browser has no network at all:
// whatever a page asks for, the browser asks this process, over the pipe that it is
// steered by, and it gets what the service's own handler answers for the page's
// host. The browser starts with the first picture and ends when none was taken for
// a minute, since it takes some hundred megabytes. After a failure it is replaced.
package chromium

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/screenshot"
)

var _ screenshot.Camera = (*Camera)(nil)

// Config configures a Camera.
type Config struct {
	// Pages answers for the hosts of sites and previews.
	Pages http.Handler
	// Off disables the camera.
	Off bool
	// Idle is how long the browser stays when there is no picture to take. 0 is a minute.
	Idle time.Duration
	// Patience bounds the time for one page, from the opening of its tab. 0 is 15
	// seconds.
	Patience time.Duration
	// Log receives the browser's complaints.
	Log *slog.Logger
}

const (
	defaultIdle     = time.Minute
	defaultPatience = 15 * time.Second
	// startLimit bounds the start of the browser.
	startLimit = 30 * time.Second
)

// Camera implements screenshot.Camera. It takes one picture at a time.
type Camera struct {
	config Config
	cage   func() (*cage, error)
	// taking is held while a picture is taken.
	taking *ctxsync.Mutex

	mu      sync.Mutex
	browser *browser
	timer   *time.Timer
	closed  bool
}

// New returns a camera. It starts nothing before the first picture. Close it.
func New(config Config) *Camera {
	if config.Idle <= 0 {
		config.Idle = defaultIdle
	}
	if config.Patience <= 0 {
		config.Patience = defaultPatience
	}
	find := sync.OnceValues(findCage)
	if config.Off {
		find = func() (*cage, error) {
			return nil, core.Errorf(core.CodeSandboxUnavailable, "no pictures can be taken, because SANDBOX does not allow isolated programs")
		}
	}
	return &Camera{config: config, cage: find, taking: ctxsync.NewMutex()}
}

// Available implements screenshot.Camera.
func (c *Camera) Available(ctx context.Context) error {
	if _, err := c.cage(); err != nil {
		return err
	}
	return ctx.Err()
}

// Take implements screenshot.Camera.
func (c *Camera) Take(ctx context.Context, address string) ([]byte, error) {
	if err := c.Available(ctx); err != nil {
		return nil, err
	}
	host, err := hostOf(address)
	if err != nil {
		return nil, err
	}
	if err := c.taking.Lock(ctx); err != nil {
		return nil, err
	}
	defer c.taking.Unlock()
	running, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.rest()
	return running.take(ctx, c.config, address, host)
}

// open returns the browser and starts it if it is not running.
func (c *Camera) open(ctx context.Context) (*browser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, core.Errorf(core.CodeUnavailable, "the service is stopping")
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.browser != nil {
		if !c.browser.isGone() {
			return c.browser, nil
		}
		c.browser.stop()
	}
	in, err := c.cage()
	if err != nil {
		return nil, err
	}
	if c.browser, err = start(ctx, in, c.config.Log); err != nil {
		return nil, err
	}
	return c.browser, nil
}

// rest ends the browser some time after the last picture (debounce).
func (c *Camera) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.browser == nil {
		return
	}
	resting := c.browser
	c.timer = time.AfterFunc(c.config.Idle, func() { c.drop(resting) })
}

// drop ends a browser, unless it is taking a picture.
func (c *Camera) drop(unwanted *browser) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.browser != unwanted || unwanted.busy.Load() {
		return
	}
	unwanted.stop()
	c.browser = nil
}

// Close ends the browser.
func (c *Camera) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.browser != nil {
		c.browser.stop()
		c.browser = nil
	}
}

// start runs a browser in a cage. The browser outlives ctx.
func start(ctx context.Context, in *cage, log *slog.Logger) (*browser, error) {
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
	b := &browser{life: life, stop: sync.OnceFunc(func() {
		leave()
		release()
		<-tried
		child.end()
	})}
	select {
	case err := <-started:
		if err != nil {
			b.stop()
			return nil, core.Wrap(core.CodeUnavailable, err, "the browser did not start")
		}
		return b, nil
	case <-time.After(startLimit):
		b.stop()
		return nil, core.Errorf(core.CodeUnavailable, "the browser did not start within %s", startLimit)
	case <-ctx.Done():
		b.stop()
		return nil, ctx.Err()
	}
}
