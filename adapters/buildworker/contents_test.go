package buildworker

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"
)

func TestContentsAreSharedWhileSomebodyHoldsThem(t *testing.T) {
	shared := newContents()
	first := bytes.Repeat([]byte("a"), minShared)
	of := fingerprintOf(first)
	if got := shared.find(of); got != nil {
		t.Errorf("got %d bytes, want none before there are any", len(got))
	}
	held := shared.share(first, of)
	again := shared.share(bytes.Clone(first), of)
	if unsafe.SliceData(again) != unsafe.SliceData(held) || unsafe.SliceData(shared.find(of)) != unsafe.SliceData(held) {
		t.Error("got two copies, want one")
	}
	runtime.KeepAlive(held)
	for range 100 {
		runtime.GC()
		if shared.find(of) == nil && shared.count() == 0 {
			return
		}
	}
	t.Errorf("got %d contents that nobody holds, want none", shared.count())
}

func (c *contents) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

func TestSmallContentsAreNotShared(t *testing.T) {
	shared, small := newContents(), []byte("small")
	if got := shared.share(small, fingerprintOf(small)); string(got) != "small" || shared.count() != 0 {
		t.Errorf("got %q and %d shared, want it as it is", got, shared.count())
	}
	if got := shared.share([]byte{}, fingerprintOf(nil)); got == nil {
		t.Error("got nil, want an empty content")
	}
}

func TestPrintsAreThoseOfTheContent(t *testing.T) {
	prints := newFingerprintCache()
	content := bytes.Repeat([]byte("ab"), minShared)
	for range 3 {
		for _, part := range [][]byte{content, content[:minShared], content[1:], content[:3], nil} {
			if got := prints.of(part); got != fingerprintOf(part) {
				t.Errorf("got %x for %d bytes, want %x", got.sum, len(part), fingerprintOf(part).sum)
			}
		}
	}
	if len(prints.known) == 0 {
		t.Error("got nothing remembered, want large contents")
	}
	runtime.KeepAlive(content)
	for range 100 {
		runtime.GC()
		if prints.count() == 0 {
			return
		}
	}
	t.Errorf("got %d fingerprints of contents that are gone, want none", prints.count())
}

func (p *fingerprintCache) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.known)
}
