package quarantine

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
)

const (
	// maxHeldBases bounds the delta bases that are cached.
	maxHeldBases = 64 << 20
	// maxPatched bounds the bytes that applying deltas may produce. An object that was
	// dropped from the cache is produced again, and long chains of large objects cause
	// that often.
	maxPatched = 16 << 30
)

// resolver applies the deltas of a pack. It caches bases.
type resolver struct {
	*Quarantine
	ctx      context.Context
	children map[int][]int
	waiting  map[plumbing.Hash][]int

	// held is an LRU cache of the contents of entries on which deltas build.
	held    *lru.Cache[int, []byte]
	patched int64
}

// resolve gives every delta its kind and its hash. Every base must be in the pack or, as
// in the thin packs that clients push, in the repository.
func (q *Quarantine) resolve(ctx context.Context) error {
	r := &resolver{
		Quarantine: q, ctx: ctx, children: map[int][]int{}, waiting: map[plumbing.Hash][]int{},
		held: lru.New[int](maxHeldBases, func(body []byte) int64 { return int64(len(body)) }),
	}
	q.objects = r
	left := 0
	for i, entry := range q.entries {
		switch {
		case !entry.delta:
			continue
		case entry.base >= 0:
			r.children[entry.base] = append(r.children[entry.base], i)
		default:
			r.waiting[entry.ref] = append(r.waiting[entry.ref], i)
		}
		left++
	}
	if left == 0 {
		return nil
	}
	done := 0
	for i := range q.entries {
		if q.entries[i].delta {
			continue
		}
		n, err := r.resolveOn(i)
		if err != nil {
			return err
		}
		done += n
	}
	n, err := r.resolveThin()
	if err == nil && done+n < left {
		err = damaged("a delta has no base")
	}
	return err
}

// resolveThin resolves the deltas on objects of the repository.
func (r *resolver) resolveThin() (int, error) {
	done := 0
	for ref, children := range r.waiting {
		if _, found := r.known[ref]; found {
			continue
		}
		kind, _, err := r.stored.ReadAny(ref)
		if errors.Is(err, fs.ErrNotExist) {
			return done, damaged("a delta is based on %s, which is missing", ref)
		}
		if err != nil {
			return done, err
		}
		r.bases[ref] = true
		for _, child := range children {
			if r.entries[child].hash != plumbing.ZeroHash {
				continue
			}
			if err := r.resolveDelta(child, kind, 0); err != nil {
				return done, err
			}
			n, err := r.resolveOn(child)
			if err != nil {
				return done, err
			}
			done += n + 1
		}
	}
	return done, nil
}

// resolveOn resolves all deltas on a resolved entry, and returns their number.
func (r *resolver) resolveOn(root int) (int, error) {
	done, stack := 0, []int{root}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		base := r.entries[at]
		children := r.children[at]
		if waiting := r.waiting[base.hash]; r.known[base.hash] == at {
			children = append(children[:len(children):len(children)], waiting...)
		}
		for _, child := range children {
			if r.entries[child].hash != plumbing.ZeroHash {
				continue
			}
			if r.entries[child].base < 0 {
				r.entries[child].base = at
			}
			if err := r.resolveDelta(child, base.kind, base.depth); err != nil {
				return done, err
			}
			done++
			stack = append(stack, child)
		}
	}
	return done, nil
}

// resolveDelta computes the object of a delta.
func (r *resolver) resolveDelta(at int, kind plumbing.ObjectType, depth int) error {
	entry := &r.entries[at]
	entry.kind, entry.depth = kind, depth+1
	if entry.depth > maxDeltaDepth {
		return damaged("a chain of deltas is longer than %d", maxDeltaDepth)
	}
	if err := r.checkSize(kind, false, entry.size); err != nil {
		return err
	}
	body, err := r.content(at)
	if err != nil {
		return err
	}
	entry.hash = plumbing.ComputeHash(kind, body)
	if _, twice := r.known[entry.hash]; !twice {
		r.known[entry.hash] = at
	}
	return nil
}

// content returns the content of an entry: it follows the chain to a base at hand, and
// applies the deltas from there.
func (r *resolver) content(at int) ([]byte, error) {
	var chain []int
	var body []byte
	for {
		var found bool
		if body, found = r.held.Get(at); found {
			break
		}
		entry := r.entries[at]
		var err error
		if !entry.delta {
			if body, err = r.unpacked(at); err != nil {
				return nil, err
			}
			r.hold(at, body)
			break
		}
		chain = append(chain, at)
		if entry.base < 0 {
			if _, body, err = r.stored.ReadAny(entry.ref); err != nil {
				return nil, err
			}
			break
		}
		at = entry.base
	}
	for i := len(chain) - 1; i >= 0; i-- {
		var err error
		if body, err = r.patch(chain[i], body); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// patch applies the delta of an entry to its base.
func (r *resolver) patch(at int, base []byte) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	entry := r.entries[at]
	delta, err := r.unpacked(at)
	if err != nil {
		return nil, err
	}
	from, _, err := deltaSizes(delta)
	if err != nil {
		return nil, err
	}
	if from != int64(len(base)) {
		return nil, damaged("a delta expects another size than its base has")
	}
	if r.patched += entry.size + int64(len(delta)); r.patched > maxPatched {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the chains of deltas in the pack are too long for their sizes")
	}
	body, err := packfile.PatchDelta(base, delta)
	if err != nil || int64(len(body)) != entry.size {
		return nil, damaged("a delta cannot be applied")
	}
	r.hold(at, body)
	return body, nil
}

// hold caches the content of an entry if deltas build on it.
func (r *resolver) hold(at int, body []byte) {
	if len(r.children[at]) > 0 || len(r.waiting[r.entries[at].hash]) > 0 {
		r.held.Put(at, body)
	}
}

// unpacked returns the content of an entry's stream.
func (q *Quarantine) unpacked(at int) ([]byte, error) {
	entry := q.entries[at]
	section := io.NewSectionReader(q.file, entry.body, q.end-entry.body)
	stream, done, err := objects.Inflate(bufio.NewReaderSize(section, int(min(max(entry.packed, 512), 1<<16))))
	if err != nil {
		return nil, err
	}
	defer done()
	body := make([]byte, entry.packed)
	if _, err := io.ReadFull(stream, body); err != nil {
		return nil, err
	}
	return body, nil
}

// deltaSizes reads the sizes of base and result with which a delta begins.
func deltaSizes(delta []byte) (from, to int64, err error) {
	from, rest, ok := deltaSize(delta)
	if ok {
		to, _, ok = deltaSize(rest)
	}
	if !ok {
		return 0, 0, damaged("a delta lacks its sizes")
	}
	return from, to, nil
}

func deltaSize(delta []byte) (size int64, rest []byte, ok bool) {
	for i, b := range delta {
		if i > 7 {
			break
		}
		size |= int64(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return size, delta[i+1:], true
		}
	}
	return 0, nil, false
}
