package buildworker

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"syscall"
	"time"
)

// entry describes a file to a worker.
type entry struct {
	name string
	mode fs.FileMode
	// known means that the other fields are set. For files of large directories the
	// worker asks one by one.
	known    bool
	size     int64
	modified int64 // nanoseconds since 1970
}

func entryOf(info fs.FileInfo) entry {
	return entry{path.Base(info.Name()), info.Mode(), true, info.Size(), info.ModTime().UnixNano()}
}

// Replies begin with one of these.
const (
	replyDone byte = iota
	// replyErrno is followed by the number of a system error and replyError by a text;
	// replyAbsent and replyInvalid are followed by nothing.
	replyErrno
	replyAbsent
	replyInvalid
	replyError
)

// appendError appends an error to a reply, in the form by which the reader distinguishes
// errors.
func appendError(text []byte, err error) []byte {
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		return binary.AppendUvarint(append(text, replyErrno), uint64(number))
	case errors.Is(err, fs.ErrNotExist):
		return append(text, replyAbsent)
	case errors.Is(err, fs.ErrInvalid):
		return append(text, replyInvalid)
	}
	return append(append(text, replyError), err.Error()...)
}

// replyErr returns the error with which a reply begins, if it is one.
func (r *reader) replyErr() error {
	switch r.byte() {
	case replyDone:
		return nil
	case replyErrno:
		return syscall.Errno(r.number())
	case replyAbsent:
		return fs.ErrNotExist
	case replyInvalid:
		return fs.ErrInvalid
	}
	return errors.New(string(r.left))
}

func (e entry) appendTo(text []byte) []byte {
	text = appendText(text, e.name)
	text = binary.AppendUvarint(text, uint64(e.mode))
	if !e.known {
		return append(text, 0)
	}
	text = binary.AppendUvarint(append(text, 1), uint64(e.size))
	return binary.AppendVarint(text, e.modified)
}

func (r *reader) entry() entry {
	e := entry{name: string(r.text()), mode: fs.FileMode(r.number()), known: r.byte() == 1}
	if e.known {
		e.size = int64(r.number())
		e.modified = r.signed()
	}
	return e
}

func appendText(text []byte, value string) []byte {
	return append(binary.AppendUvarint(text, uint64(len(value))), value...)
}

// reader decodes the values of a reply. If one is missing, all later values are zero and
// broken is set.
type reader struct {
	left   []byte
	broken bool
}

func (r *reader) fail() { r.left, r.broken = nil, true }

func (r *reader) byte() byte {
	if len(r.left) == 0 {
		r.fail()
		return 0
	}
	value := r.left[0]
	r.left = r.left[1:]
	return value
}

func (r *reader) number() uint64 {
	value, size := binary.Uvarint(r.left)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[size:]
	return value
}

func (r *reader) signed() int64 {
	value, size := binary.Varint(r.left)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[size:]
	return value
}

// text returns bytes that alias the reply.
func (r *reader) text() []byte {
	size := r.number()
	if size > uint64(len(r.left)) {
		r.fail()
		return nil
	}
	value := r.left[:size:size]
	r.left = r.left[size:]
	return value
}

// info makes an entry an fs.FileInfo and an fs.DirEntry.
type info struct{ entry }

// Name implements fs.FileInfo and fs.DirEntry.
func (i info) Name() string { return i.name }

// Size implements fs.FileInfo.
func (i info) Size() int64 { return i.size }

// Mode implements fs.FileInfo.
func (i info) Mode() fs.FileMode { return i.mode }

// Type implements fs.DirEntry.
func (i info) Type() fs.FileMode { return i.mode.Type() }

// ModTime implements fs.FileInfo.
func (i info) ModTime() time.Time { return time.Unix(0, i.modified) }

// IsDir implements fs.FileInfo and fs.DirEntry.
func (i info) IsDir() bool { return i.mode.IsDir() }

// Sys implements fs.FileInfo.
func (i info) Sys() any { return nil }

// Info implements fs.DirEntry.
func (i info) Info() (fs.FileInfo, error) { return i, nil }
