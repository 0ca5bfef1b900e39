// Package objects reads and writes git's objects: their formats, loose files and packs.
// Packed objects are read with go-git. A Store only reads; what writes objects into a
// repository durably is elsewhere.
package objects

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// Object is a blob, a tree or a commit to store.
type Object struct {
	Kind plumbing.ObjectType
	Body []byte
	Hash plumbing.Hash
}

// New returns the object of a body.
func New(kind plumbing.ObjectType, body []byte) Object {
	return Object{kind, body, plumbing.ComputeHash(kind, body)}
}

// Loose encodes the object as a loose object: a file of its own.
func (o Object) Loose() ([]byte, error) {
	var file bytes.Buffer
	err := Deflate(&file, fmt.Appendf(nil, "%s %d\x00", o.Kind, len(o.Body)), o.Body)
	return file.Bytes(), err
}

// LoosePath returns the place of a loose object in the repository.
func LoosePath(hash plumbing.Hash) string {
	name := hash.String()
	return filepath.Join("objects", name[:2], name[2:])
}

// ErrDamaged reports that an object exists but is incomplete.
var ErrDamaged = errors.New("object is damaged")
