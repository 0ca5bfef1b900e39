package objects

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

// Store reads the objects of a repository, loose and packed. It lasts for one call of the
// port, because it caches trees.
type Store struct {
	dir   string
	packs *Packs
	trees map[plumbing.Hash][]TreeEntry
}

// NewStore returns the objects of the repository at dir.
func NewStore(dir string, packs *Packs) *Store {
	return &Store{dir, packs, make(map[plumbing.Hash][]TreeEntry)}
}

// Read returns the body of an object of the given kind. A missing object is
// fs.ErrNotExist: only a damaged repository lacks one that it names.
func (s *Store) Read(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	found, body, err := s.ReadAny(hash)
	if err == nil && found != kind {
		err = fmt.Errorf("%w: %s is a %s, not a %s", ErrDamaged, hash, found, kind)
	}
	return body, err
}

// ReadReferenced is Read for objects that the repository itself names: that one is missing
// has code core.CodeUnavailable, like other damage.
func (s *Store) ReadReferenced(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	body, err := s.Read(kind, hash)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return body, nil
}

// Has reports whether an object exists and can be read.
func (s *Store) Has(kind plumbing.ObjectType, hash plumbing.Hash) bool {
	_, err := s.Read(kind, hash)
	return err == nil
}

// ReadAny returns an object of any kind, or fs.ErrNotExist.
func (s *Store) ReadAny(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	kind, body, err := ReadLoose(filepath.Join(s.dir, LoosePath(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		kind, body, err = s.packs.read(hash)
	}
	return kind, body, err
}

// ReadLoose reads a loose object. zlib's checksum and the size in the header reveal a
// torn file.
func ReadLoose(path string) (plumbing.ObjectType, []byte, error) {
	deflated, err := os.ReadFile(path)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	content, err := inflateAll(deflated)
	if err != nil {
		return plumbing.InvalidObject, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	header, body, found := bytes.Cut(content, []byte{0})
	name, size, spaced := bytes.Cut(header, []byte{' '})
	kind, err := plumbing.ParseObjectType(string(name))
	if !found || !spaced || err != nil || string(size) != strconv.Itoa(len(body)) {
		return plumbing.InvalidObject, nil, fmt.Errorf("%w: bad header", ErrDamaged)
	}
	return kind, body, nil
}

// Size returns the number of bytes of an object, without reading all of it. A missing
// object is fs.ErrNotExist.
func (s *Store) Size(hash plumbing.Hash) (int64, error) {
	size, err := sizeOfLoose(filepath.Join(s.dir, LoosePath(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		return s.packs.size(hash)
	}
	return size, err
}

// maxHeaderBytes is more than the header of any object takes.
const maxHeaderBytes = 64

// sizeOfLoose reads the header of a loose object.
func sizeOfLoose(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	inflated, err := zlib.NewReader(file)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer inflated.Close()
	header := make([]byte, maxHeaderBytes)
	n, err := io.ReadFull(inflated, header)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	text, _, found := strings.Cut(string(header[:n]), "\x00")
	_, digits, spaced := strings.Cut(text, " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !found || !spaced || err != nil {
		return 0, fmt.Errorf("%w: bad header", ErrDamaged)
	}
	return size, nil
}
