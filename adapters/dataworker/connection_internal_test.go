package dataworker

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
)

// TestFirstRequestsMayComeTogether sends many requests during the setup of a connection.
func TestFirstRequestsMayComeTogether(t *testing.T) {
	for range 50 {
		ours, file, err := workerprocess.SocketPair()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := net.FileConn(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		go func() { _ = serve(theirs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
		conn, err := connect(ours)
		if err != nil {
			t.Fatal(err)
		}
		var requests sync.WaitGroup
		start := make(chan struct{})
		for range 20 {
			requests.Go(func() {
				<-start
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://worker/", nil)
				if err != nil {
					t.Error(err)
					return
				}
				answer, err := conn.RoundTrip(r)
				if err != nil {
					t.Errorf("got %v, want an answer", err)
					return
				}
				_ = answer.Body.Close()
			})
		}
		close(start)
		requests.Wait()
		_ = ours.Close()
	}
}
