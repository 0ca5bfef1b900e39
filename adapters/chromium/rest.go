package chromium

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	// quietTime is how long a page must neither change nor have a request to be at rest.
	quietTime = 60 * time.Millisecond
	// emptyLimit is how long the root of an application may stay empty, loadLimit bounds the
	// wait for a page that loads, and stepLimit the wait after a step.
	emptyLimit = 3 * time.Second
	loadLimit  = 10 * time.Second
	stepLimit  = 2 * time.Second
	// lookAgain is the time between two looks.
	lookAgain = 15 * time.Millisecond
)

// condition is the result of conditionScript.
type condition struct {
	Loaded bool    `json:"loaded"`
	Filled bool    `json:"filled"`
	Quiet  float64 `json:"quiet"`
}

// conditionScript says whether the page has loaded, with its fonts, whether the root of an
// application is filled, and for how many milliseconds it has not changed.
const conditionScript = `({
	loaded: document.readyState === "complete" && document.fonts.status === "loaded",
	filled: (document.getElementById("root") ?? document.getElementById("app") ?? document.body)?.childNodes.length !== 0,
	quiet: performance.now() - globalThis.changed,
})`

// flushScript waits until the page has run its queued tasks and drawn a frame. A page that is
// not drawn has no frames.
const flushScript = `new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 200) })`

// rest waits until the page has loaded, has no request under way, and does not change any
// more; at most until a limit, because there are pages that never rest. One that only changes is
// awaited for stepLimit.
func (t *tab) rest(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	if _, err := evaluate[chromedp.Void](ctx, &t.world, flushScript, chromedp.EvalAwaitPromise); err != nil {
		return err
	}
	for {
		now, err := evaluate[condition](ctx, &t.world, conditionScript)
		if err != nil {
			return err
		}
		quiet := time.Duration(now.Quiet * float64(time.Millisecond))
		filled := now.Filled || time.Since(began) > emptyLimit
		idle := now.Loaded && filled && t.activity.idle() >= quietTime
		if idle && (quiet >= quietTime || time.Since(began) > stepLimit) || time.Since(began) > limit {
			return nil
		}
		if err := ctxsync.Sleep(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// awaitScript waits until the page has changed since the last snapshot, at most for a number of
// milliseconds. A page without a snapshot is another than the one that was seen.
const awaitScript = `new Promise((done) => {
	if (!(globalThis.changed < globalThis.seen)) return done(true);
	globalThis.waiting = () => done(true);
	setTimeout(() => done(false), %d);
})`

// Await implements browser.Tab.
func (t *tab) Await(ctx context.Context, within time.Duration) (changed bool, err error) {
	script := fmt.Sprintf(awaitScript, min(within, t.config.Patience/2).Milliseconds())
	err = t.run(ctx, func(ctx context.Context) error {
		changed, err = evaluate[bool](ctx, &t.world, script, chromedp.EvalAwaitPromise)
		return err
	})
	return changed, err
}
