package credentials

import "testing"

// Occupy takes a turn of p and returns what gives it back.
func Occupy(p *Passwords) func() {
	p.turns <- struct{}{}
	return func() { <-p.turns }
}

// CheckPHC holds that a hash which is read is written the same, within bounds.
func CheckPHC(t *testing.T, text string) {
	hash, err := parsePHC(text)
	if err != nil {
		return
	}
	if hash.String() != text || hash.memory > maxMemoryKiB || hash.passes > maxPasses || len(hash.hash) > 64 {
		t.Errorf("%q: got %+v, want it refused or within bounds", text, hash)
	}
}
