package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

func uploadOf(ctx context.Context, body io.Reader, length int64) *Request {
	in := httptest.NewRequestWithContext(ctx, http.MethodPut, "/", io.NopCloser(body))
	in.ContentLength = length
	return NewRequest(in, "", netip.Addr{}, http.NewResponseController(httptest.NewRecorder()))
}

func TestUploadsAreReadWhole(t *testing.T) {
	u := NewUploads()
	for _, size := range []int{0, 1, firstRoom - 1, firstRoom, firstRoom + 1, 5*firstRoom + 3, 1 << 20} {
		for _, length := range []int64{int64(size), -1} {
			want := bytes.Repeat([]byte("x"), size)
			content, done, err := u.Read(uploadOf(t.Context(), iotest.HalfReader(bytes.NewReader(want)), length), 1<<20)
			if err != nil || !bytes.Equal(content, want) {
				t.Fatalf("%d bytes, announced %d: got %d bytes, %v", size, length, len(content), err)
			}
			if held := u.Held(""); held > 2*int64(size)+firstRoom {
				t.Errorf("%d bytes: got %d held", size, held)
			}
			done()
		}
	}
	if got := u.Held(""); got != 0 {
		t.Errorf("got %d bytes held afterwards, want none", got)
	}
}

func TestUploadsThatFailGiveTheirRoomBack(t *testing.T) {
	u := NewUploads()
	for name, c := range map[string]struct {
		body   io.Reader
		length int64
		want   core.Code
	}{
		"announced too large": {bytes.NewReader(nil), 101, core.CodePayloadTooLarge},
		"too large":           {bytes.NewReader(make([]byte, 101)), -1, core.CodePayloadTooLarge},
		"broken off":          {io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(io.ErrUnexpectedEOF)), 50, core.CodeInvalidRequest},
		"failing":             {iotest.ErrReader(errors.New("reset")), -1, core.CodeInvalidRequest},
	} {
		content, _, err := u.Read(uploadOf(t.Context(), c.body, c.length), 100)
		if content != nil || !core.IsCode(err, c.want) {
			t.Errorf("%s: got %d bytes, %v, want %s", name, len(content), err, c.want)
		}
		if got := u.Held(""); got != 0 {
			t.Errorf("%s: got %d bytes held afterwards, want none", name, got)
		}
	}
}

func TestAnUploadWithoutRoomIsAskedToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := NewUploads()
		if !u.semaphore.TryAcquire("", mostRoom) {
			t.Fatal("no room at the start")
		}
		_, _, err := u.Read(uploadOf(t.Context(), bytes.NewReader(make([]byte, 10)), 10), 100)
		var full *core.Error
		if !errors.As(err, &full) || full.Code != core.CodeUnavailable || full.RetryAfter != RoomWait {
			t.Errorf("got %v, want unavailable with the time to wait", err)
		}
	})
}

// slowBody is an endless body that arrives a piece at a time, within the deadline of its
// connection.
type slowBody struct {
	http.ResponseWriter
	piece int
	every time.Duration
	until time.Time
	sent  int
}

func (d *slowBody) SetReadDeadline(until time.Time) error { d.until = until; return nil }

func (d *slowBody) Read(into []byte) (int, error) {
	next := time.Now().Add(d.every)
	if !d.until.IsZero() && d.until.Before(next) {
		time.Sleep(time.Until(d.until))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(d.every)
	n := min(d.piece, len(into))
	d.sent += n
	return n, nil
}

func TestABodyMustArriveAtALeastRate(t *testing.T) {
	for name, c := range map[string]struct {
		piece int
		every time.Duration
		size  int64
		want  core.Code
	}{
		"a byte every 20 seconds":        {1, 20 * time.Second, 1 << 20, core.CodeInvalidRequest},
		"half of what it takes":          {leastRate / 2, time.Second, 10 << 20, core.CodeInvalidRequest},
		"nothing":                        {1, time.Hour, 100, core.CodeInvalidRequest},
		"little more than what it takes": {leastRate + 100, time.Second, 10 << 20, ""},
		"a slow beginning":               {100, UploadStall - time.Second, 100, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &slowBody{ResponseWriter: httptest.NewRecorder(), piece: c.piece, every: c.every}
				request := uploadOf(t.Context(), io.LimitReader(body, c.size), c.size)
				request = NewRequest(request.Request, "", netip.Addr{}, http.NewResponseController(body))
				u, began := NewUploads(), time.Now()
				content, done, err := u.Read(request, c.size)
				if got := core.CodeOf(err); got != c.want || err == nil && int64(len(content)) != c.size {
					t.Errorf("got %d bytes and %v after %s, want code %q", len(content), err, time.Since(began), c.want)
				}
				if most := UploadStall + time.Duration(c.size/leastRate+60)*time.Second; time.Since(began) > most {
					t.Errorf("got an end after %s, want one within %s", time.Since(began), most)
				}
				if err == nil {
					done()
				}
			})
		})
	}
}

func TestOnePersonsUploadsLeaveRoomForAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := NewUploads()
		ctx, cancel := context.WithCancel(t.Context())
		for range 300 {
			begun := io.MultiReader(bytes.NewReader(make([]byte, 900<<10)), stalledBody{ctx})
			request := uploadOf(ctx, begun, 5<<20)
			request.Actor.UserID = "greedy"
			go func() {
				if _, done, err := u.Read(request, 5<<20); err == nil {
					done()
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		for _, person := range []core.ID{"one", "other"} {
			request := uploadOf(t.Context(), bytes.NewReader(make([]byte, 5<<20)), 5<<20)
			request.Actor.UserID = person
			_, done, err := u.Read(request, 5<<20)
			if err != nil || time.Since(began) > 0 {
				t.Fatalf("got %v after %s, want it read at once", err, time.Since(began))
			}
			defer done()
		}
		cancel()
		synctest.Wait()
	})
}

// stalledBody sends nothing until ctx ends.
type stalledBody struct{ ctx context.Context }

func (w stalledBody) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}
