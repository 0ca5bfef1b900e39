package process_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// actVariable makes the test binary act as the service. Its value is what that prints
// before it is ready.
const actVariable = "PROCESS_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		act()
		return
	}
	os.Exit(m.Run())
}

// act answers that it is ready until it is asked to end.
func act() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	fmt.Println(os.Getenv(actVariable))
	go func() {
		_ = http.ListenAndServe(os.Getenv("LISTEN_ADDR"), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	}()
	<-ended
}

func TestAServiceMayBeEndedFromEverySideAtOnce(t *testing.T) {
	s := process.Start(t, os.Args[0], actVariable+"=ready")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { _ = s.Terminate() })
		all.Go(s.Kill)
		all.Go(func() { _ = s.Log() })
	}
	all.Wait()
	if err := s.Terminate(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("got %v, want that it has ended", err)
	}
	first := s.PID()
	s.Restart()
	if s.PID() == first || !strings.Contains(s.Log(), "ready") {
		t.Errorf("got the process %d with the log %q, want another that is ready", s.PID(), s.Log())
	}
	s.Stop()
}

// failureCounter is a test whose failures are counted.
type failureCounter struct {
	testing.TB
	failures []string
}

func (j *failureCounter) Errorf(format string, arguments ...any) {
	j.failures = append(j.failures, fmt.Sprintf(format, arguments...))
}

func TestADataRaceOfAServiceThatIsKilledFailsItsTest(t *testing.T) {
	for said, want := range map[string]int{"WARNING: DATA RACE": 1, "nothing": 0} {
		j := &failureCounter{TB: t}
		s := process.Start(j, os.Args[0], actVariable+"="+said)
		s.Kill()
		if got := len(j.failures); got != want {
			t.Errorf("%q: got the failures %q, want %d", said, j.failures, want)
		}
		j.failures = nil
	}
}
