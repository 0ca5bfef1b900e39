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

// Bounds on large bodies that are being received. A body is held in memory until its
// content is on the disk.
const (
	// uploadRoom bounds the bytes of all bodies together. keptRoom is additional room for
	// people whose bodies hold no more than littleRoom. mostRoom bounds the bodies of one
	// person.
	uploadRoom = 192 << 20
	keptRoom   = 64 << 20
	littleRoom = 16 << 20
	mostRoom   = 128 << 20
	// firstRoom is the room with which a body begins, so that a client that sends nothing
	// holds next to nothing.
	firstRoom = 64 << 10
	// UploadStall is how long a client may send nothing, and how long it may be slower
	// than leastRate.
	UploadStall = 30 * time.Second
	// leastRate is the minimum average rate, in bytes a second.
	leastRate = 8 << 10
	// RoomWait is how long a body waits for room before its client is told to try again
	// later.
	RoomWait = 10 * time.Second
)

// Uploads is a semaphore, weighted in bytes, for the memory of bodies that are being
// received and written. It shares the memory among people.
type Uploads struct{ semaphore *fair.Semaphore }

// NewUploads returns the memory of all bodies of a process.
func NewUploads() *Uploads {
	return &Uploads{fair.New(fair.Bounds{Capacity: uploadRoom, Reserve: keptRoom, Small: littleRoom, PerTenant: mostRoom})}
}

// upload is one body.
type upload struct {
	*Uploads
	person  core.ID
	began   time.Time
	content []byte
	held    int64
}

// Read reads the whole body of a request, of at most limit bytes. The caller calls done
// when it no longer needs the content.
//
// A longer body has code core.CodePayloadTooLarge, and only as much of it is read as
// shows that. A body that breaks off, stalls or is too slow has core.CodeInvalidRequest.
// If there is no room, the code is core.CodeUnavailable.
func (u *Uploads) Read(r *Request, limit int64) (content []byte, done func(), err error) {
	if r.ContentLength > limit {
		return nil, nil, TooLarge(limit)
	}
	body := &upload{Uploads: u, person: r.Actor.UserID, began: time.Now()}
	if err := body.fill(r, limit); err != nil {
		body.release()
		return nil, nil, err
	}
	// The function that releases the room must not keep the content alive.
	content, body.content = body.content, nil
	return content, body.release, nil
}

// Held returns how many bytes the bodies of a person hold.
func (u *Uploads) Held(person core.ID) int64 { return u.semaphore.Held(person) }

func (b *upload) release() {
	b.keep(0)
}

// keep releases what is held beyond a number of bytes.
func (b *upload) keep(bytes int64) {
	if more := b.held - bytes; more > 0 {
		b.semaphore.Release(b.person, more)
		b.held = bytes
	}
}

// deadline returns until when the next bytes must arrive.
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
		// One byte more than expected distinguishes the end from a body that is too long.
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
			return core.Errorf(core.CodeInvalidRequest, "the body stalled for %s, or arrived at less than %d bytes a second: send it again over a faster connection or in smaller parts", UploadStall, leastRate)
		case err != nil:
			return core.Wrap(core.CodeInvalidRequest, err, "the body is incomplete")
		}
	}
}

// grow makes room for more content when there is none, at most most bytes in total. A
// client that has sent firstRoom gets the room for everything that it announced, from its
// own share alone. Growing step by step could make the bodies of one person deadlock.
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

// hold takes room for size bytes beside what is already held: while the content is copied
// there are two copies. A body alone may be larger than all the room.
func (b *upload) hold(ctx context.Context, size int64) error {
	more := min(size, mostRoom-b.held)
	if more == 0 {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, RoomWait)
	defer cancel()
	if err := b.semaphore.Acquire(wait, b.person, more); err != nil {
		full := core.Wrap(core.CodeUnavailable, err, "too much is being uploaded at the moment: try again later")
		full.RetryAfter = RoomWait
		return full
	}
	b.held += more
	return nil
}
