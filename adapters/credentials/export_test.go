package credentials

import (
	"os"
	"slices"
	"testing"
)

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

// IdleWorkers are the processes that wait for work.
func IdleWorkers(p *Passwords) (all []*os.Process) {
	p.workers.mu.Lock()
	defer p.workers.mu.Unlock()
	for _, worker := range p.workers.idle {
		all = append(all, worker.process)
	}
	return all
}

// DismissIdle ends the workers that wait for work, as time does.
func DismissIdle(p *Passwords) {
	p.workers.mu.Lock()
	idle := slices.Clone(p.workers.idle)
	p.workers.mu.Unlock()
	for _, worker := range idle {
		p.workers.dismiss(worker)
	}
}
