package buildworker

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"
)

// minShared is the smallest content that is worth sharing, in bytes.
const minShared = 4 << 10

// contents finds contents that are in use in this process. It holds only weak references,
// so it keeps none of them alive.
type contents struct {
	mu   sync.Mutex
	held map[fingerprint]weak.Pointer[byte]
}

func newContents() *contents {
	return &contents{held: make(map[fingerprint]weak.Pointer[byte])}
}

// find returns the content with a fingerprint, nil if nothing holds one.
func (c *contents) find(of fingerprint) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.held[of].Value()
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, of.size)
}

// share makes a content, whose fingerprint must be correct, available to others. If the
// same content is already available, it returns that one. Nobody may change a shared
// content.
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

// forget removes a content that has been freed, unless another one has replaced it.
func (c *contents) forget(of fingerprint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pointer, known := c.held[of]; known && pointer.Value() == nil {
		delete(c.held, of)
	}
}
