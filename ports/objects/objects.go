// Package objects is the port to storage for few large files that are written once: backups.
package objects

import (
	"context"
	"io"
	"regexp"

	"github.com/atelierhq/atelier/core"
)

// Store stores objects by name. It may be used by many goroutines. A missing object has code
// core.CodeNotFound, a name that CheckName refuses core.CodeValidationFailed, and a failure of the
// storage core.CodeUnavailable.
type Store interface {
	// Put stores what content yields until its end, whole or not at all: if content fails, Put
	// returns that error, and there is no object. A name in use has code core.CodeConflict; of two
	// that put a large object at once, the last may win.
	Put(ctx context.Context, name string, content io.Reader) error
	// Get opens an object. The caller closes it. A missing one may only show at the first read.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns all objects, sorted by name.
	List(ctx context.Context) ([]Object, error)
	// Remove deletes an object. It is idempotent: a missing one is no error.
	Remove(ctx context.Context, name string) error
	// Check returns core.CodeUnavailable if objects cannot be stored. It makes a test write and
	// removes it.
	Check(ctx context.Context) error
}

// Object is an entry of a Store's list.
type Object struct {
	Name  string
	Bytes int64
}

// isName matches the names of objects.
var isName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// CheckName returns core.CodeValidationFailed for a name that is not made of 1 to 128 letters, digits,
// ".", "_" and "-", the first of them a letter or digit.
func CheckName(name string) error {
	if !isName.MatchString(name) {
		return core.Errorf(core.CodeValidationFailed, "%.150q is not the name of an object: it must have letters, digits, dots, - and _ only", name)
	}
	return nil
}
