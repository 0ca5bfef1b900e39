package git

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

// store reads the objects of a repository, loose and packed. It is for the duration of a
// call, because it caches trees.
type store struct {
	dir   string
	packs *packs
	trees map[plumbing.Hash][]treeChild
}

// newStore returns the objects of the repository at dir, whose packs packs reads.
func newStore(dir string, packs *packs) *store {
	return &store{dir, packs, make(map[plumbing.Hash][]treeChild)}
}

// readObject returns the body of an object of the given kind. A missing object is
// fs.ErrNotExist: only a damaged repository lacks one that it names.
func (s *store) readObject(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	found, body, err := s.readAny(hash)
	if err == nil && found != kind {
		err = fmt.Errorf("%w: %s is a %s, not a %s", errDamaged, hash, found, kind)
	}
	return body, err
}

// mustRead is readObject for objects that the repository itself names.
func (s *store) mustRead(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	body, err := s.readObject(kind, hash)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return body, nil
}

// hasWhole reports whether an object exists and can be read.
func (s *store) hasWhole(kind plumbing.ObjectType, hash plumbing.Hash) bool {
	_, err := s.readObject(kind, hash)
	return err == nil
}

// readAny returns an object of any kind, or fs.ErrNotExist.
func (s *store) readAny(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	kind, body, err := readLoose(filepath.Join(s.dir, loosePath(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		kind, body, err = s.packs.read(hash)
	}
	return kind, body, err
}

// readLoose reads a loose object. zlib's checksum and the size in the header reveal a
// torn file.
func readLoose(path string) (plumbing.ObjectType, []byte, error) {
	deflated, err := os.ReadFile(path)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	content, err := inflate(deflated)
	if err != nil {
		return plumbing.InvalidObject, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	header, body, found := bytes.Cut(content, []byte{0})
	name, size, spaced := bytes.Cut(header, []byte{' '})
	kind, err := plumbing.ParseObjectType(string(name))
	if !found || !spaced || err != nil || string(size) != strconv.Itoa(len(body)) {
		return plumbing.InvalidObject, nil, fmt.Errorf("%w: bad header", errDamaged)
	}
	return kind, body, nil
}

// sizeOf returns how many bytes an object has, without reading all of it.
func (s *store) sizeOf(hash plumbing.Hash) (int64, error) {
	size, err := sizeOfLoose(filepath.Join(s.dir, loosePath(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		return s.packs.size(hash)
	}
	return size, err
}

// maxHeaderBytes is more than the header of any object has.
const maxHeaderBytes = 64

// sizeOfLoose reads the header of an object in a file of its own.
func sizeOfLoose(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	inflated, err := zlib.NewReader(file)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer inflated.Close()
	header := make([]byte, maxHeaderBytes)
	n, err := io.ReadFull(inflated, header)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	text, _, found := strings.Cut(string(header[:n]), "\x00")
	_, digits, spaced := strings.Cut(text, " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !found || !spaced || err != nil {
		return 0, fmt.Errorf("%w: bad header", errDamaged)
	}
	return size, nil
}
