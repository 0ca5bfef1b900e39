package quickjs_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/atelierhq/atelier/ports/functions"
)

// countingHost is a host whose fetches wait until they are released.
type countingHost struct {
	functions.Host
	waiting, release chan struct{}
}

// Fetch implements functions.Host.
func (c *countingHost) Fetch(context.Context, functions.Request) (functions.Response, error) {
	c.waiting <- struct{}{}
	<-c.release
	return functions.Response{Status: 200}, nil
}

// resident returns the resident memory of this process in bytes.
func resident(b *testing.B) int64 {
	b.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
