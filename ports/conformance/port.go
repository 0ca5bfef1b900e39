package conformance

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort returns a TCP port for a program that a test starts. It lies below those that
// systems give to outgoing connections and to listeners without a port of their own, so
// that none of them takes it before the program does.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 12_000 + rand.IntN(20_000)
		listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err == nil {
			_ = listener.Close()
			return port
		}
	}
	t.Fatal("got no free port, want one")
	return 0
}
