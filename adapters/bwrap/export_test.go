package bwrap

// Sweep removes what nobody needs, at once.
func (t *Tools) Sweep() { t.sweep(unusedTime) }

// CountedBeside is countedBeside.
func CountedBeside(release string) int { return countedBeside(release) }
