package yjs

import (
	"testing"
	"unsafe"
)

// The items make up most of the memory of a document. Go's allocator has size classes:
// with one more field, an item takes 96 bytes.
func TestSizeOfItem(t *testing.T) {
	if got := unsafe.Sizeof(item{}); got > 80 {
		t.Errorf("got %d bytes, want at most 80", got)
	}
}
