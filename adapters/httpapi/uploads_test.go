package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
)

func uploadOf(ctx context.Context, body io.Reader, length int64) *Request {
	in := httptest.NewRequestWithContext(ctx, http.MethodPut, "/", io.NopCloser(body))
	in.ContentLength = length
	return &Request{Request: in, exchange: &exchange{control: http.NewResponseController(httptest.NewRecorder())}}
}

// free is how much room there is.
func (u *uploads) free() int64 {
	free := int64(0)
	for step := int64(uploadRoom); step > 0; step /= 2 {
		if u.room.TryAcquire(step) {
			free += step
		}
	}
	u.room.Release(free)
	return free
}

func TestUploadsAreReadWhole(t *testing.T) {
	u := newUploads()
	for _, size := range []int{0, 1, firstRoom - 1, firstRoom, firstRoom + 1, 5*firstRoom + 3, 1 << 20} {
		for _, length := range []int64{int64(size), -1} {
			want := bytes.Repeat([]byte("x"), size)
			content, done, err := u.read(uploadOf(t.Context(), iotest.HalfReader(bytes.NewReader(want)), length), 1<<20)
			if err != nil || !bytes.Equal(content, want) {
				t.Fatalf("%d bytes, announced %d: got %d bytes, %v", size, length, len(content), err)
			}
			if held := uploadRoom - u.free(); held > 2*int64(size)+firstRoom {
				t.Errorf("%d bytes: got %d held", size, held)
			}
			done()
		}
	}
	if got := u.free(); got != uploadRoom {
		t.Errorf("got %d bytes of room afterwards, want all", got)
	}
}

func TestUploadsThatFailGiveTheirRoomBack(t *testing.T) {
	u := newUploads()
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
		content, _, err := u.read(uploadOf(t.Context(), c.body, c.length), 100)
		if content != nil || !core.IsCode(err, c.want) {
			t.Errorf("%s: got %d bytes, %v, want %s", name, len(content), err, c.want)
		}
		if got := u.free(); got != uploadRoom {
			t.Errorf("%s: got %d bytes of room afterwards, want all", name, got)
		}
	}
}

func TestAnUploadWithoutRoomIsAskedToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUploads()
		if !u.room.TryAcquire(uploadRoom) {
			t.Fatal("no room at the start")
		}
		_, _, err := u.read(uploadOf(t.Context(), bytes.NewReader(make([]byte, 10)), 10), 100)
		var full *core.Error
		if !errors.As(err, &full) || full.Code != core.CodeUnavailable || full.RetryAfter != roomWait {
			t.Errorf("got %v, want unavailable with the time to wait", err)
		}
	})
}
