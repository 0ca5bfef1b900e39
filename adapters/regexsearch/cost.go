package regexsearch

import "github.com/atelierhq/atelier/core"

const (
	// maxSteps bounds the work of one search's automata: about a second of one processor.
	// Ordinary patterns take some thousand steps, however much is searched.
	maxSteps = 50_000_000
	// stepsUnasked is how many steps pass between checks of the bound and the context.
	stepsUnasked = 1 << 14
)

// leftmost is automaton.leftmost within the bounds of the search. The error is the
// context's, or has code core.CodeInvalidRegex if the pattern costs too much.
func (j *job) leftmost(a *automaton, line []byte) (int, error) {
	at := a.leftmost(line)
	if a.steps < stepsUnasked {
		return at, nil
	}
	total := j.steps.Add(int64(a.steps))
	a.steps = 0
	if total > maxSteps {
		return 0, core.Errorf(core.CodeInvalidRegex, "the pattern is too expensive to search for")
	}
	return at, j.ctx.Err()
}
