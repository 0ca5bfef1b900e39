package buildworker

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"
)

// minShared is the smallest content that is worth sharing, in bytes.
const minShared = 4 << 10

// contents finds contents that somebody in this process holds. It keeps none of
// them alive itself: what nobody holds any more is gone.
type contents struct {
	mu   sync.Mutex
	held map[fingerprint]weak.Pointer[byte]
}

func newContents() *contents {
	return &contents{held: make(map[fingerprint]weak.Pointer[byte])}
}

// find returns the content with a fingerprint, nil when nobody holds one.
func (c *contents) find(of fingerprint) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.held[of].Value()
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, of.size)
}

// share lets others find a content, whose fingerprint must be true, and returns the
// one that they find already if there is one. Nobody may change it afterwards.
func (c *contents) share(content []byte, of fingerprint) []byte {
	if of.size < minShared {
		return content
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.held[of].Value(); first != nil {
		return unsafe.Slice(first, of.size)
	}
	first := unsafe.SliceData(content)
	c.held[of] = weak.Make(first)
	runtime.AddCleanup(first, c.forget, of)
	return content
}

// forget removes a content that is gone, unless another one came in its place.
func (c *contents) forget(of fingerprint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pointer, known := c.held[of]; known && pointer.Value() == nil {
		delete(c.held, of)
	}
}
