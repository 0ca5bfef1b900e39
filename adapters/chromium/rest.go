package chromium

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core/ctxsync"
	port "github.com/atelierhq/atelier/ports/browser"
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
	// soonTime is how far ahead rest looks: timers that fire later are not awaited.
	soonTime = 500 * time.Millisecond
)

// condition is the result of conditionScript.
type condition struct {
	Loaded bool    `json:"loaded"`
	Filled bool    `json:"filled"`
	Moving bool    `json:"moving"`
	Quiet  float64 `json:"quiet"`
	// busy means that asynchronous work can change the page, or that this is not known.
	busy bool
}

func (c condition) quiet() time.Duration { return time.Duration(c.Quiet * float64(time.Millisecond)) }

// conditionScript says whether the page has loaded, with its fonts, whether the root of an
// application is filled, whether anything moves by itself, and for how many milliseconds it has not
// changed.
const conditionScript = `({
	loaded: document.readyState === "complete" && document.fonts.status === "loaded",
	filled: (document.getElementById("root") ?? document.getElementById("app") ?? document.body)?.childNodes.length !== 0,
	moving: document.getAnimations().some((a) => a.pending || a.playState === "running")
		|| document.querySelector("video, audio, marquee, set, animate, animateMotion, animateTransform, meta[http-equiv=refresh i]") !== null,
	quiet: performance.now() - globalThis.changed,
})`

// flushScript waits until the page has run its queued tasks and drawn a frame. A page that is
// not drawn has no frames.
const flushScript = `new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 200) })`

// rest waits until the page has loaded, has no request under way, and does not change any
// more; at most until a limit, because there are pages that never rest. One that only changes is
// awaited for stepLimit, and one that has nothing under way not at all.
func (t *tab) rest(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	if _, err := evaluate[chromedp.Void](ctx, &t.world, flushScript, chromedp.EvalAwaitPromise); err != nil {
		return err
	}
	for {
		now, err := t.look(ctx, soonTime)
		if err != nil {
			return err
		}
		filled := now.Filled || time.Since(began) > t.config.Pace.Of(emptyLimit)
		idle := now.Loaded && filled && t.activity.idle() >= quietTime
		if idle && (now.quiet() >= quietTime || time.Since(began) > stepLimit) || time.Since(began) > limit {
			return nil
		}
		if now.Filled && !now.busy {
			return nil
		}
		if err := ctxsync.Sleep(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// look returns the condition of a page, and whether asynchronous work can change it within a time.
// Work that ends between the two calls has changed the page before the second.
func (t *tab) look(ctx context.Context, within time.Duration) (condition, error) {
	underWay, failed := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(underWayCall, within.Milliseconds())))
	now, err := evaluate[condition](ctx, &t.world, conditionScript)
	now.busy = failed != nil || underWay || !now.Loaded || now.Moving || t.activity.still() == 0 || t.streams.any()
	return now, err
}

// awaitScript waits until the page has changed since the last snapshot, at most for a number of
// milliseconds. A page without a snapshot is another than the one that was seen.
const awaitScript = `new Promise((done) => {
	if (!(globalThis.changed < globalThis.seen)) return done(true);
	globalThis.waiting = () => done(true);
	setTimeout(() => done(false), %d);
})`

const (
	// stillTime is how long a page must have been unchanged, with nothing under way, before Await
	// gives up.
	stillTime = 400 * time.Millisecond
	// askAgain is the time between two questions for what is under way.
	askAgain = 100 * time.Millisecond
)

// Await implements browser.Tab.
func (t *tab) Await(ctx context.Context, within time.Duration) (changed bool, err error) {
	end := time.Now().Add(min(within, t.config.Patience/2))
	err = t.run(ctx, func(ctx context.Context) error {
		for {
			left := time.Until(end)
			script := fmt.Sprintf(awaitScript, max(0, min(left, askAgain)).Milliseconds())
			if changed, err = evaluate[bool](ctx, &t.world, script, chromedp.EvalAwaitPromise); err != nil || changed || left <= 0 {
				return err
			}
			if still, err := t.isStill(ctx); err != nil || still {
				return err
			}
		}
	})
	return changed, err
}

// drawnScript waits until the page has drawn a frame: the end of an animation is announced with the
// next one, when nothing moves any more.
const drawnScript = `new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 1000) })`

// isStill reports whether no asynchronous work of a page can change it within port.Foreseen: before
// a frame, and after it.
func (t *tab) isStill(ctx context.Context) (bool, error) {
	for frames := 0; ; frames++ {
		now, err := t.look(ctx, port.Foreseen)
		still := min(now.quiet(), t.activity.still(), time.Since(t.acted)) >= stillTime
		if err != nil || !still || now.busy {
			return false, err
		}
		if frames == 1 {
			return true, nil
		}
		if _, err := evaluate[chromedp.Void](ctx, &t.world, drawnScript, chromedp.EvalAwaitPromise); err != nil {
			return false, err
		}
	}
}
