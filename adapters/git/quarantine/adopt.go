package quarantine

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// maxLooseBytes bounds the content that is stored as loose objects, through memory.
const maxLooseBytes = 16 << 20

// Adopt implements vcs.Push and vcs.FetchedBranch. A few small objects become loose objects, so
// that many pushes do not leave many packs; others stay in their pack.
func (q *Quarantine) Adopt(ctx context.Context) error {
	if len(q.entries) == 0 {
		return nil
	}
	q.objects.ctx = ctx
	if len(q.entries) < gitdir.MinPackObjects && q.total < maxLooseBytes {
		return durable.Fault(q.adoptLoose(), "repository")
	}
	return durable.Fault(q.adoptPack(ctx), "repository")
}

func (q *Quarantine) adoptLoose() error {
	var loose []objects.Object
	for at, entry := range q.entries {
		body, err := q.objects.content(at)
		if err != nil {
			return err
		}
		loose = append(loose, objects.Object{Kind: entry.kind, Body: body, Hash: entry.hash})
	}
	batch := q.dir.NewBatch()
	if err := batch.AddObjects(loose); err != nil {
		return err
	}
	return batch.Write()
}

// adoptPack turns the quarantine's file into a pack of the repository. It writes the
// index last: a pack without an index is ignored, and Repair removes it.
func (q *Quarantine) adoptPack(ctx context.Context) error {
	if err := q.complete(ctx); err != nil {
		return err
	}
	if err := q.file.Sync(); err != nil {
		return err
	}
	entries := make([]objects.PackEntry, 0, len(q.entries))
	seen := make(map[plumbing.Hash]bool, len(q.entries))
	for _, entry := range q.entries {
		if !seen[entry.hash] {
			entries = append(entries, objects.PackEntry{Hash: entry.hash, CRC: entry.crc, Offset: uint32(entry.offset)})
		}
		seen[entry.hash] = true
	}
	name := objects.PackPath(q.sum)
	if err := os.Rename(q.file.Name(), q.dir.Path(name+".pack")); err != nil {
		return err
	}
	batch := q.dir.NewBatch()
	batch.AddPackIndex(name, objects.PackIndex(entries, q.sum))
	return batch.Write()
}

// complete appends the bases that the pack's deltas need and the pack lacks: a pack of a
// repository must be self-contained.
func (q *Quarantine) complete(ctx context.Context) error {
	if len(q.bases) == 0 {
		return nil
	}
	for hash := range q.bases {
		kind, body, err := q.stored.ReadAny(hash)
		if err != nil {
			return err
		}
		if err := q.append(objects.New(kind, body)); err != nil {
			return err
		}
	}
	if q.end > 1<<31-1 {
		return core.Errorf(core.CodePayloadTooLarge, "the pack and its bases are larger than 2 GiB")
	}
	if _, err := q.file.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(len(q.entries))), 8); err != nil {
		return err
	}
	sum := sha1.New()
	if _, err := io.Copy(sum, WithContext(ctx, io.NewSectionReader(q.file, 0, q.end))); err != nil {
		return err
	}
	copy(q.sum[:], sum.Sum(nil))
	q.bases = nil
	_, err := q.file.WriteAt(q.sum[:], q.end)
	return err
}

// append writes an object after the last one.
func (q *Quarantine) append(o objects.Object) error {
	data := bytes.NewBuffer(objects.EntryHeader(o.Kind, o.Body))
	head := int64(data.Len())
	if err := objects.Deflate(data, o.Body); err != nil {
		return err
	}
	if _, err := q.file.WriteAt(data.Bytes(), q.end); err != nil {
		return err
	}
	size := int64(len(o.Body))
	q.known[o.Hash] = len(q.entries)
	q.entries = append(q.entries, packEntry{
		hash: o.Hash, kind: o.Kind, offset: q.end, body: q.end + head, crc: crc32.ChecksumIEEE(data.Bytes()), packed: size, size: size,
	})
	q.end += int64(data.Len())
	return nil
}

// WithContext returns a reader of from that fails once ctx ends.
func WithContext(ctx context.Context, from io.Reader) io.Reader {
	return readerFunc(func(into []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return from.Read(into)
	})
}

type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
