package modelhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// newCaller returns a caller on the given transport, of a client with an overall
// time limit that no call may feel.
func newCaller(t *testing.T, transport http.RoundTripper) *modelhttp.Caller {
	t.Helper()
	caller, err := modelhttp.New(modelhttp.Config{
		Client: &http.Client{Transport: transport, Timeout: time.Second}, Name: "the vendor", BaseURL: "http://vendor.test/v1",
		Key: aitest.Key, Header: http.Header{"Authorization": {"Bearer " + aitest.Key}},
		Limits: modelhttp.DefaultLimits,
	})
	if err != nil {
		t.Fatal(err)
	}
	return caller
}

// echo takes an event's data as text, and "end" as the last word.
func echo(answer *modelhttp.Answer, event modelhttp.Event) error {
	if string(event.Data) == "end" {
		return answer.Finish("")
	}
	return answer.Text(string(event.Data))
}

// piped returns a transport whose answer is what vendor writes. The vendor's side ends
// when the caller leaves.
func piped(vendor func(ctx context.Context, w io.Writer)) aitest.CannedTransport {
	return aitest.CannedTransport{Status: http.StatusOK, Body: func(request *http.Request) io.Reader {
		reader, writer := io.Pipe()
		go func() {
			vendor(request.Context(), writer)
			_ = writer.Close()
		}()
		return reader
	}}
}

// paused waits for d and reports whether the caller is still there.
func paused(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}

func play(t *testing.T, ctx context.Context, transport http.RoundTripper, emit func(ai.Chunk) error) error {
	t.Helper()
	call := modelhttp.Call{Path: "chat", Body: map[string]string{"model": "m"}, Model: "m"}
	_, err := newCaller(t, transport).Play(ctx, call, emit, echo)
	return err
}

func ignore(ai.Chunk) error { return nil }

// wantFailure checks a failure's kind and that its message has the words.
func wantFailure(t *testing.T, err error, temporary bool, words string) {
	t.Helper()
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want an *ai.Failure", err)
	}
	if failure.Temporary != temporary || !strings.Contains(failure.Err.Message, words) {
		t.Errorf("got temporary %v, %q, want %v and %q", failure.Temporary, failure.Err.Message, temporary, words)
	}
	if strings.Contains(err.Error(), aitest.Key) {
		t.Errorf("got %q, which holds the key", err)
	}
}

func TestSilenceEndsTheCall(t *testing.T) {
	for _, row := range []struct {
		name   string
		vendor func(ctx context.Context, w io.Writer)
		after  time.Duration
		words  string
	}{
		{"from the start", func(ctx context.Context, _ io.Writer) { <-ctx.Done() }, 5 * time.Minute, "nothing for 5m0s"},
		{"after an event that says nothing", func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, ": hello\n\n")
			<-ctx.Done()
		}, 5 * time.Minute, "nothing for 5m0s"},
		{"after some text", func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, "data: one\n\n")
			<-ctx.Done()
		}, 2 * time.Minute, "nothing for 2m0s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := play(t, t.Context(), piped(row.vendor), ignore)
				wantFailure(t, err, true, row.words)
				if took := time.Since(began); took != row.after {
					t.Errorf("took %v, want %v", took, row.after)
				}
			})
		})
	}
}

func TestSilenceBeforeTheHeadEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := roundTrip(func(request *http.Request) (*http.Response, error) {
			<-request.Context().Done()
			return nil, request.Context().Err()
		})
		wantFailure(t, play(t, t.Context(), transport, ignore), true, "nothing for 5m0s")
	})
}

func TestASlowStreamLastsAsLongAsItSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := strings.Repeat("data: x\n\n", 1000) + "data: end\n\n"
		transport := piped(func(_ context.Context, w io.Writer) {
			for i := range len(stream) {
				time.Sleep(time.Second)
				_, _ = io.WriteString(w, stream[i:i+1])
			}
		})
		heard := 0
		err := play(t, t.Context(), transport, func(ai.Chunk) error {
			heard++
			return nil
		})
		if err != nil || heard != 1000 {
			t.Errorf("got %d chunks and %v, want 1000 and no error", heard, err)
		}
	})
}

func TestAStreamThatNeverEndsIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := piped(func(ctx context.Context, w io.Writer) {
			for paused(ctx, time.Minute) {
				if _, err := io.WriteString(w, "data: x\n\n"); err != nil {
					return
				}
			}
		})
		// Without a bound of the call's own the test's ends it.
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Hour)
		defer cancel()
		began := time.Now()
		wantFailure(t, play(t, ctx, transport, ignore), false, "took longer than 3h0m0s")
		if took := time.Since(began); took != modelhttp.DefaultLimits.Total {
			t.Errorf("took %v, want %v", took, modelhttp.DefaultLimits.Total)
		}
	})
}

func TestASlowSinkIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := piped(func(_ context.Context, w io.Writer) {
			_, _ = io.WriteString(w, "data: one\n\ndata: two\n\n")
			_, _ = io.WriteString(w, "data: end\n\n")
		})
		err := play(t, t.Context(), transport, func(ai.Chunk) error {
			time.Sleep(time.Hour)
			return nil
		})
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
	})
}

func TestAStreamThatStaysOpenAfterItsLastWordIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := play(t, t.Context(), piped(func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, "data: one\n\ndata: end\n\n")
			<-ctx.Done()
		}), ignore)
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v, want at most 1s", took)
		}
	})
}

func TestTheEndOfTheContextIsFeltAtOnce(t *testing.T) {
	for name, vendor := range map[string]func(ctx context.Context, w io.Writer){
		"in silence": func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, "data: one\n\n")
			<-ctx.Done()
		},
		"in a stream without end": func(ctx context.Context, w io.Writer) {
			for paused(ctx, time.Millisecond) {
				if _, err := io.WriteString(w, "data: one\n\n"); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				began := time.Now()
				err := play(t, ctx, piped(vendor), ignore)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
				}
				if took := time.Since(began); took != 10*time.Second {
					t.Errorf("took %v, want 10s", took)
				}
			})
		})
	}
}

func TestARefusalWithoutEndIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := piped(func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, `busy`)
			<-ctx.Done()
		})
		transport.Status = http.StatusServiceUnavailable
		began := time.Now()
		wantFailure(t, play(t, t.Context(), transport, ignore), true, "(503): busy")
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("took %v, want 10s", took)
		}
	})
}

// roundTrip is an http.RoundTripper made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
