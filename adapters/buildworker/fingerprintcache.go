package buildworker

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"
)

// fingerprintCache caches the fingerprints of contents for as long as the contents exist. Contents
// are immutable, and builders return the same dependencies again and again.
type fingerprintCache struct {
	mu    sync.Mutex
	known map[weak.Pointer[byte]]fingerprint
}

func newFingerprintCache() *fingerprintCache {
	return &fingerprintCache{known: make(map[weak.Pointer[byte]]fingerprint)}
}

// of returns the fingerprint of a content.
func (p *fingerprintCache) of(content []byte) fingerprint {
	if len(content) < minShared {
		return fingerprintOf(content)
	}
	first := unsafe.SliceData(content)
	at := weak.Make(first)
	p.mu.Lock()
	defer p.mu.Unlock()
	if print, known := p.known[at]; known && print.size == int64(len(content)) {
		return print
	}
	if _, known := p.known[at]; !known {
		runtime.AddCleanup(first, p.forget, at)
	}
	p.known[at] = fingerprintOf(content)
	return p.known[at]
}

func (p *fingerprintCache) forget(at weak.Pointer[byte]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, at)
}
