package credentials

import "testing"

// Occupy takes a slot of p and returns the function that releases it.
func Occupy(p *Passwords) func() {
	p.semaphore <- struct{}{}
	return func() { <-p.semaphore }
}

// CheckPHC checks that a hash that can be parsed is formatted as the same text, within bounds.
func CheckPHC(t *testing.T, text string) {
	hash, err := parsePHC(text)
	if err != nil {
		return
	}
	if hash.String() != text || hash.memory > maxMemoryKiB || hash.passes > maxPasses || len(hash.hash) > 64 {
		t.Errorf("%q: got %+v, want it refused or within bounds", text, hash)
	}
}
