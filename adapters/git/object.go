package git

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// object is a blob, a tree or a commit to store.
type object struct {
	kind plumbing.ObjectType
	body []byte
	hash plumbing.Hash
}

// newObject returns the object of a body.
func newObject(kind plumbing.ObjectType, body []byte) object {
	return object{kind, body, plumbing.ComputeHash(kind, body)}
}

// loose encodes the object for a file of its own.
func (o object) loose() ([]byte, error) {
	var file bytes.Buffer
	err := deflate(&file, fmt.Appendf(nil, "%s %d\x00", o.kind, len(o.body)), o.body)
	return file.Bytes(), err
}

// loosePath returns the place of a loose object in the repository.
func loosePath(hash plumbing.Hash) string {
	name := hash.String()
	return filepath.Join("objects", name[:2], name[2:])
}

// errDamaged reports that an object exists but is incomplete.
var errDamaged = errors.New("object is damaged")
