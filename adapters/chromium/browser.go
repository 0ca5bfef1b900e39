package chromium

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

var _ browser.Browser = (*Browser)(nil)

// Config configures a Browser.
type Config struct {
	// Pages answers for the hosts of sites and previews.
	Pages http.Handler
	// Off disables the browser.
	Off bool
	// MaxTabs bounds the open tabs, and the processes. 0 is two.
	MaxTabs int
	// Idle is how long a process stays when it has no tab. 0 is a minute.
	Idle time.Duration
	// Patience bounds the time for one step with a page. 0 is 15 seconds, at Pace.
	Patience time.Duration
	// Pace stretches the waits for a page.
	Pace core.Pace
	// Log receives the browser's complaints.
	Log *slog.Logger
}

const (
	defaultTabs     = 2
	defaultIdle     = time.Minute
	defaultPatience = 15 * time.Second
	// startLimit bounds the start of a process.
	startLimit = 30 * time.Second
)

// Browser implements browser.Browser with a pool of processes.
type Browser struct {
	config Config
	cage   func() (*cage, error)
	// tabs is a semaphore.
	tabs chan struct{}

	mu     sync.Mutex
	closed bool
	// resting are the processes without a tab, longest resting first; running are the
	// others.
	resting []*instance
	running map[*instance]struct{}
}

// New returns a browser. It starts nothing before the first page. Close it.
func New(config Config) *Browser {
	if config.MaxTabs <= 0 {
		config.MaxTabs = defaultTabs
	}
	if config.Idle <= 0 {
		config.Idle = defaultIdle
	}
	if config.Patience <= 0 {
		config.Patience = config.Pace.Of(defaultPatience)
	}
	find := sync.OnceValues(findCage)
	if config.Off {
		find = func() (*cage, error) {
			return nil, core.Errorf(core.CodeSandboxUnavailable, "no page can be opened, because SANDBOX does not allow isolated programs")
		}
	}
	return &Browser{config: config, cage: find, tabs: make(chan struct{}, config.MaxTabs), running: map[*instance]struct{}{}}
}

// Available implements browser.Browser.
func (b *Browser) Available(ctx context.Context) error {
	if _, err := b.cage(); err != nil {
		return err
	}
	return ctx.Err()
}

// Open implements browser.Browser.
func (b *Browser) Open(ctx context.Context, page browser.Page) (browser.Tab, error) {
	if err := b.Available(ctx); err != nil {
		return nil, err
	}
	at, err := parseAddress(page.Address)
	if err != nil {
		return nil, err
	}
	select {
	case b.tabs <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	host, err := b.take(ctx, page.Tenant)
	if err != nil {
		<-b.tabs
		return nil, err
	}
	opened := newTab(host, b.config, page, at, func(healthy bool) {
		b.giveBack(host, healthy)
		<-b.tabs
	})
	if err := opened.open(ctx); err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// take returns a process for a tenant: the one that rests, or a new one.
func (b *Browser) take(ctx context.Context, tenant string) (*instance, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, errStopping()
	}
	host, unwanted := b.choose(tenant)
	if host != nil {
		b.running[host] = struct{}{}
	}
	b.mu.Unlock()
	for _, one := range unwanted {
		one.stop()
	}
	if host != nil {
		return host, nil
	}
	in, err := b.cage()
	if err != nil {
		return nil, err
	}
	if host, err = start(ctx, in, tenant, b.config.Log); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		host.stop()
		return nil, errStopping()
	}
	b.running[host] = struct{}{}
	return host, nil
}

func errStopping() error { return core.Errorf(core.CodeUnavailable, "the service is stopping") }

// choose takes the tenant's process from those that rest, and those that must end: the ones
// that are gone, and the longest resting if there would be too many.
func (b *Browser) choose(tenant string) (chosen *instance, unwanted []*instance) {
	var left []*instance
	for _, one := range b.resting {
		switch {
		case one.isGone():
			unwanted = append(unwanted, one)
		case chosen == nil && one.tenant == tenant:
			chosen = one
		default:
			left = append(left, one)
		}
	}
	for len(left) > 0 && len(left)+len(b.running)+1 > b.config.MaxTabs {
		unwanted, left = append(unwanted, left[0]), left[1:]
	}
	b.resting = left
	return chosen, unwanted
}

// giveBack lets a process rest, or ends it.
func (b *Browser) giveBack(host *instance, healthy bool) {
	b.mu.Lock()
	delete(b.running, host)
	healthy = healthy && !b.closed && !host.isGone()
	if healthy {
		b.resting = append(b.resting, host)
		host.rests++
		rests := host.rests
		time.AfterFunc(b.config.Idle, func() { b.drop(host, rests) })
	}
	b.mu.Unlock()
	if !healthy {
		host.stop()
	}
}

// drop ends a process that still has the rest that it had.
func (b *Browser) drop(host *instance, rests int) {
	b.mu.Lock()
	for at, one := range b.resting {
		if one == host && host.rests == rests {
			b.resting = append(b.resting[:at], b.resting[at+1:]...)
			b.mu.Unlock()
			host.stop()
			return
		}
	}
	b.mu.Unlock()
}

// Close ends all processes, and with them the open tabs.
func (b *Browser) Close() {
	b.mu.Lock()
	b.closed = true
	all := b.resting
	b.resting = nil
	for one := range b.running {
		all = append(all, one)
	}
	b.mu.Unlock()
	for _, one := range all {
		one.stop()
	}
}
