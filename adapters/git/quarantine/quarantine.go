package quarantine

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Bounds on a pack from elsewhere, beside vcs.Limits.
const (
	// maxPackObjects bounds the in-memory table of a pack's objects.
	maxPackObjects = 500_000
	// maxUnpackedBytes bounds what a pack unpacks to: all objects together, deltas
	// applied. It stops zlib bombs and delta bombs.
	maxUnpackedBytes = 8 << 30
	// maxTreeBytes, maxCommitBytes and maxTagBytes bound single objects other than files.
	maxTreeBytes   = 16 << 20
	maxCommitBytes = 256 << 10
	maxTagBytes    = 256 << 10
	// maxDeltaDepth is git's own bound on a chain of deltas.
	maxDeltaDepth = 4095
)

// Quarantine is a pack from elsewhere, kept apart from the repository that it is meant
// for. Its file is in the adapter's own folder of the repository.
type Quarantine struct {
	dir    gitdir.Dir
	stored *objects.Store
	limits vcs.Limits
	file   *os.File

	entries []packEntry
	// known finds the entries of resolved objects.
	known map[plumbing.Hash]int
	// end is the offset of the pack's checksum in the file.
	end int64
	sum [sha1.Size]byte
	// bases are objects of the repository on which deltas of the pack build.
	bases map[plumbing.Hash]bool
	total int64
	// objects resolves the deltas and returns the contents of objects.
	objects *resolver
}

// packEntry is one object of a pack. A delta has no hash before it is resolved.
type packEntry struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
	// offset is where the entry begins in the file, body where its zlib stream begins.
	offset, body int64
	crc          uint32
	// packed is the size of the stream's content, size that of the object.
	packed, size int64
	// delta says how the base is named: by the entry base, or, if base is negative, by
	// the hash ref.
	delta bool
	base  int
	ref   plumbing.Hash
	depth int
}

// damaged returns an error for a malformed pack.
func damaged(format string, args ...any) error {
	return core.Errorf(core.CodeInvalidRequest, "the pack is damaged: "+format, args...)
}

// Open creates an empty quarantine. The caller closes it.
func Open(dir gitdir.Dir, stored *objects.Store, limits vcs.Limits) (*Quarantine, error) {
	if _, err := os.Lstat(dir.Aside()); err != nil {
		if err := dir.MakeAside(); err != nil {
			return nil, err
		}
	}
	file, err := createFile(dir)
	if err != nil {
		return nil, err
	}
	return &Quarantine{dir: dir, stored: stored, limits: limits, file: file, known: map[plumbing.Hash]int{}, bases: map[plumbing.Hash]bool{}}, nil
}

// Close implements vcs.Push and vcs.FetchedBranch.
func (q *Quarantine) Close() error {
	err := gitdir.Remove(q.file.Name())
	return errors.Join(err, q.file.Close())
}

// Receive stores a pack and resolves its objects.
func (q *Quarantine) Receive(ctx context.Context, from *bufio.Reader) error {
	in := &packInput{ctx: ctx, from: from, to: bufio.NewWriterSize(q.file, 1<<16), sum: sha1.New(), most: q.limits.PackBytes}
	if err := q.readEntries(in); err != nil {
		return err
	}
	if err := in.to.Flush(); err != nil {
		return err
	}
	return q.resolve(ctx)
}

// readEntries reads a pack of version 2 to its end.
func (q *Quarantine) readEntries(in *packInput) error {
	var header [12]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return brokenOff(err)
	}
	count := binary.BigEndian.Uint32(header[8:])
	if string(header[:4]) != "PACK" || binary.BigEndian.Uint32(header[4:]) != 2 {
		return damaged("it is not a pack of version 2")
	}
	if count > maxPackObjects {
		return core.Errorf(core.CodePayloadTooLarge, "the pack has %d objects, at most %d are allowed", count, maxPackObjects)
	}
	places := make(map[int64]int)
	for range count {
		if err := q.readEntry(in, places); err != nil {
			return brokenOff(err)
		}
	}
	in.flush()
	q.end = in.offset
	copy(q.sum[:], in.sum.Sum(nil))
	var sum [sha1.Size]byte
	if _, err := io.ReadFull(in, sum[:]); err != nil {
		return brokenOff(err)
	}
	if sum != q.sum {
		return damaged("its checksum is wrong")
	}
	return nil
}

// brokenOff returns the reason for which a pack ends too early.
func brokenOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends too early")
	}
	return err
}

// readEntry reads one object to the end of its stream, which only zlib can find.
func (q *Quarantine) readEntry(in *packInput, places map[int64]int) error {
	in.flush()
	in.crc = 0
	entry := packEntry{offset: in.offset}
	if err := entry.readHead(in, places); err != nil {
		return err
	}
	in.flush()
	entry.body = in.offset
	if err := q.checkSize(entry.kind, entry.delta, entry.packed); err != nil {
		return err
	}
	if err := q.readStream(in, &entry); err != nil {
		return err
	}
	in.flush()
	entry.crc = in.crc
	if q.total += entry.size; q.total > maxUnpackedBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the pack unpacks to more than %d bytes", int64(maxUnpackedBytes))
	}
	at := len(q.entries)
	places[entry.offset] = at
	if !entry.delta {
		q.known[entry.hash] = at
	}
	q.entries = append(q.entries, entry)
	return nil
}

// checkSize checks an object against the bound of its kind. The instructions of a delta
// may be a little longer than the file that they produce.
func (q *Quarantine) checkSize(kind plumbing.ObjectType, delta bool, size int64) error {
	most := int64(maxTagBytes)
	what := "a tag"
	switch {
	case delta:
		most, what = 2*max(q.limits.FileBytes, maxTreeBytes), "a delta"
	case kind == plumbing.BlobObject:
		most, what = q.limits.FileBytes, "a file"
	case kind == plumbing.TreeObject:
		most, what = maxTreeBytes, "a folder"
	case kind == plumbing.CommitObject:
		most, what = maxCommitBytes, "a commit"
	}
	if size > most {
		return core.Errorf(core.CodePayloadTooLarge, "%s has %d bytes, at most %d are allowed", what, size, most)
	}
	return nil
}

// readHead reads what precedes an entry's stream: its kind and size, and the base of a
// delta.
func (e *packEntry) readHead(in *packInput, places map[int64]int) error {
	first, err := in.ReadByte()
	if err != nil {
		return err
	}
	e.packed = int64(first & 0x0f)
	for shift, next := 4, first; next&0x80 != 0; shift += 7 {
		if next, err = in.ReadByte(); err != nil {
			return err
		}
		if shift > 53 {
			return damaged("an object has an impossible size")
		}
		e.packed |= int64(next&0x7f) << shift
	}
	e.kind, e.size = plumbing.ObjectType(first>>4&7), e.packed
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		return nil
	case plumbing.OFSDeltaObject:
		return e.readDistance(in, places)
	case plumbing.REFDeltaObject:
		e.delta, e.base, e.kind = true, -1, plumbing.AnyObject
		_, err := io.ReadFull(in, e.ref[:])
		return err
	}
	return damaged("an object has the unknown kind %d", first>>4&7)
}

// readDistance reads how many bytes before a delta its base begins.
func (e *packEntry) readDistance(in *packInput, places map[int64]int) error {
	next, err := in.ReadByte()
	distance := int64(next & 0x7f)
	for err == nil && next&0x80 != 0 {
		next, err = in.ReadByte()
		if distance > 1<<48 {
			return damaged("a delta has no base")
		}
		distance = (distance+1)<<7 | int64(next&0x7f)
	}
	if err != nil {
		return err
	}
	base, found := places[e.offset-distance]
	if !found {
		return damaged("a delta has no base")
	}
	e.delta, e.base, e.kind = true, base, plumbing.AnyObject
	return nil
}

// readStream inflates an entry to find its end, its hash and, for a delta, the size of
// its result.
func (q *Quarantine) readStream(in *packInput, e *packEntry) error {
	stream, done, err := objects.Inflate(in)
	if err != nil {
		return badStream(err)
	}
	defer done()
	head, hasher := &prefixWriter{}, plumbing.Hasher{}
	sink := io.Writer(head)
	if !e.delta {
		hasher = plumbing.NewHasher(e.kind, e.packed)
		sink = hasher
	}
	n, err := io.Copy(sink, io.LimitReader(stream, e.packed))
	if err == nil {
		// Reading to the end of the stream verifies its checksum.
		var more [1]byte
		var extra int
		if extra, err = io.ReadFull(stream, more[:]); errors.Is(err, io.EOF) {
			err = nil
		}
		n += int64(extra)
	}
	switch {
	case err != nil:
		return badStream(err)
	case n != e.packed:
		return damaged("an object does not have the size that it declares")
	case !e.delta:
		e.hash = hasher.Sum()
		return nil
	}
	_, e.size, err = deltaSizes(head.bytes())
	return err
}

func badStream(err error) error {
	var known *core.Error
	if errors.As(err, &known) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return damaged("an object cannot be unpacked")
}
