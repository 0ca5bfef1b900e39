package agent

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Limits of a run.
const (
	// MaxSteps bounds the model calls of a run.
	MaxSteps = 60
	// maxRepeats ends a run whose model makes the same failing call this many times
	// in a row.
	maxRepeats = 3
	// maxStale ends a run whose model learns nothing new in this many steps in a
	// row.
	maxStale = 6
	// maxAnswerTokens bounds one answer of the model; no request asks for more.
	maxAnswerTokens = 16_384
	// maxRunawayBytes ends an answer that ignores the limit that the vendor was
	// given: four times the longest answer.
	maxRunawayBytes = 4 * 4 * maxAnswerTokens
)

// Texts with which the agent itself ends a run.
const (
	repeatsNote = "I made the same call three times and it failed each time, so I stopped. Please tell me how to continue."
	staleNote   = "I kept looking at the same things without making progress, so I stopped. Please tell me how to continue."
	stepsNote   = "I have used all the steps that one message may take. Write again to let me continue."
	runawayNote = "My answer did not end, so I stopped. Please try again, perhaps with another model or a smaller request."
)

// errRunaway ends an answer that is far longer than it may be.
var errRunaway = errors.New("the answer does not end")

// guards detects a model that makes no progress.
type guards struct {
	// repeats counts how often lastFailure has failed in a row.
	lastFailure string
	repeats     int
	// seen are the hashes of calls with their results since the last change of a
	// file. stale counts the steps in a row that brought nothing new.
	seen  map[[sha256.Size]byte]bool
	stale int
	// news says that the current step brought something new.
	news bool
}

// note records the result of a call.
func (g *guards) note(call ai.Call, result string, failed, changed bool) {
	g.countRepeats(call, failed)
	if changed {
		g.seen, g.news = nil, true
		return
	}
	key := sha256.Sum256([]byte(call.Tool + "\x00" + string(call.Args) + "\x00" + result))
	if !g.seen[key] {
		g.news = true
	}
	if g.seen == nil {
		g.seen = map[[sha256.Size]byte]bool{}
	}
	g.seen[key] = true
}

func (g *guards) countRepeats(call ai.Call, failed bool) {
	if !failed {
		g.lastFailure, g.repeats = "", 0
		return
	}
	signature := call.Tool + " " + string(call.Args)
	if signature != g.lastFailure {
		g.lastFailure, g.repeats = signature, 0
	}
	g.repeats++
}

// endStep returns why the run must end after a step, "" if it may go on.
func (g *guards) endStep() string {
	g.stale++
	if g.news {
		g.stale = 0
	}
	g.news = false
	switch {
	case g.repeats >= maxRepeats:
		return repeatsNote
	case g.stale >= maxStale:
		return staleNote
	}
	return ""
}

// limit ends a run with a message of the agent's own, which also lists what the run
// leaves broken.
func (r *run) limit(ctx context.Context, text string) (Outcome, error) {
	if broken, _ := r.broken(ctx); len(broken) > 0 {
		text += "\n\n" + surrender(broken)
	}
	return Outcome{Reason: core.ReasonLimit}, r.record.say(text)
}

// fail ends a run with an error that the caller reports. It says itself what the run
// leaves broken, unless somebody stopped the run.
func (r *run) fail(ctx context.Context, reason error) error {
	if ctx.Err() != nil {
		return reason
	}
	if broken, _ := r.broken(ctx); len(broken) > 0 {
		return errors.Join(reason, r.record.say(surrender(broken)))
	}
	return reason
}
