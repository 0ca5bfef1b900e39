package yjs

import (
	"testing"
	"unsafe"
)

// The items are most of what a document in memory costs. Objects of Go come in sizes:
// one more field, and an item takes 96 bytes.
func TestSizeOfItem(t *testing.T) {
	if got := unsafe.Sizeof(item{}); got > 80 {
		t.Errorf("got %d bytes, want at most 80", got)
	}
}
