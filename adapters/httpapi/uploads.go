package httpapi

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/atelierhq/atelier/core"
)

// Bounds of large bodies on their way in. A body is held in memory until its
// content is on the disk.
const (
	// uploadRoom bounds the bytes of all bodies together.
	uploadRoom = 256 << 20
	// firstRoom is what a body begins with; it doubles as content arrives, so that
	// a client that sends nothing holds nothing.
	firstRoom = 64 << 10
	// uploadStall is how long a client may send nothing.
	uploadStall = 30 * time.Second
	// roomWait is how long a body waits for room before its client is told to try
	// again later.
	roomWait = 10 * time.Second
)

// uploads bounds the memory that bodies take while they are received and written.
type uploads struct{ room *semaphore.Weighted }

func newUploads() *uploads { return &uploads{semaphore.NewWeighted(uploadRoom)} }

// upload is one body.
type upload struct {
	*uploads
	content []byte
	held    int64
}

// read reads the whole body of a request, of at most limit bytes. The caller
// calls done when it no longer needs the content.
//
// A body that is longer has code core.CodePayloadTooLarge, and no more of it is
// read than shows that; one that breaks off or stalls core.CodeInvalidRequest;
// one for which there is no room core.CodeUnavailable.
func (u *uploads) read(r *Request, limit int64) (content []byte, done func(), err error) {
	if r.ContentLength > limit {
		return nil, nil, tooLarge(limit)
	}
	body := &upload{uploads: u}
	if err := body.fill(r, limit); err != nil {
		body.release()
		return nil, nil, err
	}
	// Whoever still has to give the room back does not keep the content by that.
	content, body.content = body.content, nil
	return content, body.release, nil
}

func (b *upload) release() {
	b.room.Release(b.held)
	b.held = 0
}

func (b *upload) fill(r *Request, limit int64) error {
	expected := limit
	if r.ContentLength >= 0 {
		expected = r.ContentLength
	}
	defer func() { _ = r.exchange.control.SetReadDeadline(time.Time{}) }()
	for {
		// One byte more than expected tells the end from a body that is too long.
		if err := b.grow(r.Context(), expected+1); err != nil {
			return err
		}
		_ = r.exchange.control.SetReadDeadline(time.Now().Add(uploadStall))
		n, err := r.Body.Read(b.content[len(b.content):cap(b.content)])
		b.content = b.content[:len(b.content)+n]
		switch {
		case int64(len(b.content)) > limit:
			return tooLarge(limit)
		case err == io.EOF:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return core.Errorf(core.CodeInvalidRequest, "the body stalled for %s", uploadStall)
		case err != nil:
			return core.Wrap(core.CodeInvalidRequest, err, "the body is incomplete")
		}
	}
}

// grow makes place for more content when there is none, at most most bytes in
// all.
func (b *upload) grow(ctx context.Context, most int64) error {
	if len(b.content) < cap(b.content) {
		return nil
	}
	size := min(max(firstRoom, 2*int64(cap(b.content))), most)
	if err := b.hold(ctx, size); err != nil {
		return err
	}
	content := make([]byte, len(b.content), size)
	copy(content, b.content)
	b.room.Release(b.held - min(size, uploadRoom))
	b.held = min(size, uploadRoom)
	b.content = content
	return nil
}

// hold takes room for size bytes beside what is held already: while the content
// is copied there are two of it. A body alone may be larger than all the room.
func (b *upload) hold(ctx context.Context, size int64) error {
	more := min(size, uploadRoom-b.held)
	wait, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if err := b.room.Acquire(wait, more); err != nil {
		full := core.Wrap(core.CodeUnavailable, err, "too much is being uploaded at the moment")
		full.RetryAfter = roomWait
		return full
	}
	b.held += more
	return nil
}
