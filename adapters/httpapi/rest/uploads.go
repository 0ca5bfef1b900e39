package rest

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// Bounds of large bodies on their way in. A body is held in memory until its
// content is on the disk.
const (
	// uploadRoom bounds the bytes of all bodies together, keptRoom what there is beside
	// it for people whose bodies hold no more than littleRoom, and mostRoom what those of
	// one person hold.
	uploadRoom = 192 << 20
	keptRoom   = 64 << 20
	littleRoom = 16 << 20
	mostRoom   = 128 << 20
	// firstRoom is what a body begins with, so that a client that sends nothing holds
	// next to nothing.
	firstRoom = 64 << 10
	// UploadStall is how long a client may send nothing, and how long it may be slower
	// than leastRate.
	UploadStall = 30 * time.Second
	// leastRate is how many bytes a second have to arrive on average.
	leastRate = 8 << 10
	// RoomWait is how long a body waits for room before its client is told to try
	// again later.
	RoomWait = 10 * time.Second
)

// Uploads bounds the memory that bodies take while they are received and written, and
// shares it among people.
type Uploads struct{ room *fair.Semaphore }

// NewUploads returns the memory of all bodies of a process.
func NewUploads() *Uploads {
	return &Uploads{fair.New(fair.Bounds{Places: uploadRoom, Kept: keptRoom, Least: littleRoom, Most: mostRoom})}
}

// upload is one body.
type upload struct {
	*Uploads
	person  core.ID
	began   time.Time
	content []byte
	held    int64
}

// Read reads the whole body of a request, of at most limit bytes. The caller
// calls done when it no longer needs the content.
//
// A body that is longer has code core.CodePayloadTooLarge, and no more of it is
// Read than shows that; one that breaks off, stalls or is too slow
// core.CodeInvalidRequest; one for which there is no room core.CodeUnavailable.
func (u *Uploads) Read(r *Request, limit int64) (content []byte, done func(), err error) {
	if r.ContentLength > limit {
		return nil, nil, TooLarge(limit)
	}
	body := &upload{Uploads: u, person: r.Actor.UserID, began: time.Now()}
	if err := body.fill(r, limit); err != nil {
		body.release()
		return nil, nil, err
	}
	// Whoever still has to give the room back does not keep the content by that.
	content, body.content = body.content, nil
	return content, body.release, nil
}

// Held is how many bytes the bodies of a person hold.
func (u *Uploads) Held(person core.ID) int64 { return u.room.Held(person) }

func (b *upload) release() {
	b.keep(0)
}

// keep gives back what is held beyond so many bytes.
func (b *upload) keep(bytes int64) {
	if more := b.held - bytes; more > 0 {
		b.room.Release(b.person, more)
		b.held = bytes
	}
}

// deadline is until when the next bytes have to be here.
func (b *upload) deadline() time.Time {
	stalled := time.Now().Add(UploadStall)
	slow := b.began.Add(UploadStall + time.Second*time.Duration(len(b.content))/leastRate)
	if slow.Before(stalled) {
		return slow
	}
	return stalled
}

func (b *upload) fill(r *Request, limit int64) error {
	expected := limit
	if r.ContentLength >= 0 {
		expected = r.ContentLength
	}
	defer func() { _ = r.Control().SetReadDeadline(time.Time{}) }()
	for {
		// One byte more than expected tells the end from a body that is too long.
		if err := b.grow(r.Context(), r.ContentLength >= 0, expected+1); err != nil {
			return err
		}
		_ = r.Control().SetReadDeadline(b.deadline())
		n, err := r.Body.Read(b.content[len(b.content):cap(b.content)])
		b.content = b.content[:len(b.content)+n]
		switch {
		case int64(len(b.content)) > limit:
			return TooLarge(limit)
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return core.Errorf(core.CodeInvalidRequest, "the body stalled for %s, or arrived at less than %d bytes a second: send it again, over a better connection or in smaller parts", UploadStall, leastRate)
		case err != nil:
			return core.Wrap(core.CodeInvalidRequest, err, "the body is incomplete")
		}
	}
}

// grow makes place for more content when there is none, at most most bytes in
// all. Whoever has sent firstRoom gets the place for all that was announced, at the
// expense of their own share alone; growing step by step would let the bodies of one
// person wait for each other.
func (b *upload) grow(ctx context.Context, announced bool, most int64) error {
	if len(b.content) < cap(b.content) {
		return nil
	}
	size := min(max(firstRoom, 2*int64(cap(b.content))), most)
	if announced && cap(b.content) > 0 {
		size = most
	}
	if err := b.hold(ctx, size); err != nil {
		return err
	}
	content := make([]byte, len(b.content), size)
	copy(content, b.content)
	b.keep(min(size, mostRoom))
	b.content = content
	return nil
}

// hold takes room for size bytes beside what is held already: while the content
// is copied there are two of it. A body alone may be larger than all the room.
func (b *upload) hold(ctx context.Context, size int64) error {
	more := min(size, mostRoom-b.held)
	if more == 0 {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, RoomWait)
	defer cancel()
	if err := b.room.Acquire(wait, b.person, more); err != nil {
		full := core.Wrap(core.CodeUnavailable, err, "too much is being uploaded at the moment")
		full.RetryAfter = RoomWait
		return full
	}
	b.held += more
	return nil
}
