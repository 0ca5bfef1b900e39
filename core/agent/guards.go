package agent

import (
	"context"
	"crypto/sha256"
	"errors"
	"regexp"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// Limits of a run.
const (
	// MaxSteps bounds the model calls of a run.
	MaxSteps = 60
	// maxRepeats ends a run whose model makes the same failing call this many times
	// in a row.
	maxRepeats = 3
	// missesBeforeHint is after how many steps in a row without a call that worked the model is told
	// another way, and maxFailures after how many the run ends, whatever the calls were.
	missesBeforeHint = 2
	maxFailures      = 6
	// maxStale ends a run whose model learns nothing new in this many steps in a
	// row. It is warned after staleBeforeHint.
	maxStale        = 6
	staleBeforeHint = 3
	// runawayBytes a token end an answer that ignores the limit that the vendor was given: four
	// times what a token usually has.
	runawayBytes = 4 * 4
)

// Texts with which the agent itself ends a run.
const (
	repeatsNote = "I made the same call three times and it failed each time, so I stopped. Please tell me how to continue."
	failureNote = "Nothing that I tried in six steps worked, so I stopped. Please tell me how to continue."
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
	// failures counts the steps in a row in which no call worked; failed and worked are about the
	// current one.
	failures       int
	failed, worked bool
	// continued says that the model was asked to go on with a text that was cut.
	continued bool
	// reminded says that the model was asked for the open steps of its list.
	reminded bool
	// doubted says that the model was told that it changed nothing.
	doubted bool
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
	g.failed, g.worked = g.failed || failed, g.worked || !failed
	if changed {
		g.seen, g.news = nil, true
		return
	}
	key := seenKey(call, result)
	if !g.seen[key] {
		g.news = true
	}
	if g.seen == nil {
		g.seen = map[[sha256.Size]byte]bool{}
	}
	g.seen[key] = true
}

// seenKey identifies a call with its result.
func seenKey(call ai.Call, result string) [sha256.Size]byte {
	return sha256.Sum256([]byte(call.Tool + "\x00" + string(call.Args) + "\x00" + result))
}

// forget makes everything new again, because a compaction has dropped what the model had seen.
func (g *guards) forget() { g.seen, g.stale = nil, 0 }

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
	case g.worked:
		g.failures = 0
	case g.failed:
		g.failures++
	}
	g.failed, g.worked = false, false
	switch {
	case g.repeats >= maxRepeats:
		return repeatsNote
	case g.failures >= maxFailures:
		return failureNote
	case g.stale >= maxStale:
		return staleNote
	}
	return ""
}

// missHint tells a model another way after misses.
const missHint = "\n\nThis is the second time in a row that nothing worked. Read the file again before you change it, and write it whole with write_file if an edit does not match."

// staleHint warns a model that keeps looking at what it has seen.
const staleHint = "\n\nYou have seen exactly this before, and nothing new for several steps. Make the change now, or tell the person what keeps you from it."

// hintFor is what a model is told beside the result of a call, before the call is noted.
func (g *guards) hintFor(call ai.Call, result string, failed bool) string {
	switch {
	case failed && g.failures == missesBeforeHint-1 && call.Tool == tools.EditTool:
		return missHint
	case !failed && g.stale >= staleBeforeHint && g.seen[seenKey(call, result)]:
		return staleHint
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

// claimHint asks a model that changed nothing to do what it claims, once in a run.
const claimHint = "Nothing was changed: what you write in an answer changes no file. If the person wants this change, make it now, with write_file or edit_file. If they did not ask for a change, say in one sentence that nothing was changed."

// doneClaim is a claim to have changed something, in the languages of the studio.
var doneClaim = regexp.MustCompile(`(?i)\b(?:I|I've|I have|I’ve)(?: just| now| also| have| then)* (?:added|created|updated|changed|written|wrote|implemented|fixed|replaced|removed|moved|renamed|built|made|modified|refactored|edited|restyled|corrected)\b` +
	`|\bIch habe\b[^.!?\n]{0,120}\b(?:hinzugefügt|erstellt|geändert|geschrieben|ersetzt|entfernt|gebaut|angepasst|aktualisiert|behoben|korrigiert|eingebaut)\b` +
	`|\bHe (?:añadido|creado|cambiado|actualizado|escrito|reemplazado|eliminado|corregido|modificado|arreglado)\b`)

// fileBlock is a code block that looks like a file of a project: of several lines, behind or with a path.
var (
	codeBlock = regexp.MustCompile("(?s)(?:^|\n)```[^\n]*\n(.*?)\n```")
	filePath  = regexp.MustCompile(`[\w\-./]+\.(?:tsx?|jsx?|mjs|css|html|json|vue|svelte|md)\b`)
)

// minBlockLines is from how many lines a code block counts as a file.
const minBlockLines = 4

// claimsChange reports whether an answer reads as if something had been changed.
func claimsChange(text string) bool {
	if doneClaim.MatchString(text) {
		return true
	}
	for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
		if strings.Count(block[1], "\n") >= minBlockLines-1 && filePath.MatchString(text) {
			return true
		}
	}
	return false
}

// doubts reports whether an answer is to be doubted, once in a run: it claims a change, and there was none.
func (g *guards) doubts(text string, changed bool) bool {
	if g.doubted || changed || !claimsChange(text) {
		return false
	}
	g.doubted = true
	return true
}

// reminds returns what asks a model for the open steps of its list, once in a run; else "".
func (g *guards) reminds(open []string) string {
	if g.reminded || len(open) == 0 {
		return ""
	}
	g.reminded = true
	return todoHint + "- " + strings.Join(open, "\n- ")
}
