package projects

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// sweepAge is how old a tree without a record must be before it counts as abandoned: a running
// creation makes its tree before its record.
const sweepAge = time.Hour

// Sweeper removes what interrupted creations left.
type Sweeper struct{ deps *Deps }

// Sweep removes the trees and the copied test data that creations and duplicates left when the
// process died before the project was recorded, and returns their ids.
//
// It removes only untouched trees, which hold just a template or a copy. A tree that anybody
// has written to stays even without a record: a database that was restored from a backup, or
// that belongs to other trees, must never cost anybody a file.
func (s *Sweeper) Sweep(ctx context.Context) ([]core.ID, error) {
	trees, err := s.deps.Trees.List(ctx)
	if err != nil {
		return nil, err
	}
	var swept []core.ID
	for _, id := range trees {
		gone, err := s.sweep(ctx, id)
		if err != nil {
			return swept, err
		}
		if gone {
			swept = append(swept, id)
		}
	}
	return swept, nil
}

func (s *Sweeper) sweep(ctx context.Context, id core.ID) (bool, error) {
	if s.deps.Now().Sub(madeAt(id)) < sweepAge {
		return false, nil
	}
	unrecorded := func(ctx context.Context) (bool, error) {
		_, err := s.deps.Store.Tables().Projects.ByID(ctx, id)
		if core.IsCode(err, core.CodeNotFound) {
			return true, nil
		}
		return false, err
	}
	// Most trees have a record and need no lock.
	if gone, err := unrecorded(ctx); err != nil || !gone {
		return false, err
	}
	gone, err := s.deps.Files.RemoveUntouched(ctx, id, unrecorded)
	if err == nil && gone {
		err = s.deps.Backends.RemoveData(ctx, id)
	}
	return gone, err
}

// madeAt is the time in the first 48 bits of an id of version 7.
func madeAt(id core.ID) time.Time {
	var ms [8]byte
	digits := strings.ReplaceAll(string(id), "-", "")
	if len(digits) < 12 {
		return time.Time{}
	}
	if _, err := hex.Decode(ms[2:], []byte(digits[:12])); err != nil {
		return time.Time{}
	}
	var n int64
	for _, b := range ms {
		n = n<<8 | int64(b)
	}
	return time.UnixMilli(n)
}
