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
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/atelierhq/atelier/core"
)

// object is a blob, a tree or a commit to store.
type object struct {
	kind plumbing.ObjectType
	body []byte
	hash plumbing.Hash
}

func newObject(kind plumbing.ObjectType, body []byte) object {
	return object{kind, body, plumbing.ComputeHash(kind, body)}
}

// packFrom is the number of objects from which on they are stored as one pack: two files
// to sync instead of one for each object. A lower number would litter the repository with
// small packs.
const packFrom = 20

// addObjects plans the storing of objects. It writes existing objects again: their files
// may be torn, or not yet on the disk.
func (l *landing) addObjects(objects []object) error {
	if len(objects) >= packFrom {
		return l.addPack(objects)
	}
	for _, object := range objects {
		var loose bytes.Buffer
		if err := deflate(&loose, objectHeader(object), object.body); err != nil {
			return err
		}
		l.add(loosePath(object.hash), loose.Bytes(), 0o444)
	}
	return nil
}

func objectHeader(o object) []byte {
	return fmt.Appendf(nil, "%s %d\x00", o.kind, len(o.body))
}

func loosePath(hash plumbing.Hash) string {
	name := hash.String()
	return filepath.Join("objects", name[:2], name[2:])
}

// deflaters is a pool, because each deflater holds buffers of hundreds of kilobytes.
var deflaters = sync.Pool{New: func() any {
	// The level is a constant of the package, so this never fails.
	w, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	return w
}}

func deflate(to *bytes.Buffer, parts ...[]byte) error {
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(to)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// inflaters is a pool, because each inflater holds buffers of tens of kilobytes. It
// starts empty: a reader can only be created from data.
var inflaters sync.Pool

func inflate(deflated []byte) ([]byte, error) {
	source := bytes.NewReader(deflated)
	reader, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = reader.(zlib.Resetter).Reset(source, nil)
	} else {
		reader, err = zlib.NewReader(source)
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(reader)
	return io.ReadAll(reader)
}

// errDamaged reports that an object exists but is incomplete.
var errDamaged = errors.New("object is damaged")

// readObject returns the body of an object of the given kind. A missing object is
// fs.ErrNotExist: only a damaged repository lacks one that it names.
func (r *repository) readObject(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	found, body, err := readLoose(filepath.Join(r.git, loosePath(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		found, body, err = r.packs.read(hash)
	}
	if err == nil && found != kind {
		err = fmt.Errorf("%w: %s is a %s, not a %s", errDamaged, hash, found, kind)
	}
	return body, err
}

// mustRead is readObject for objects that the repository itself names.
func (r *repository) mustRead(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	body, err := r.readObject(kind, hash)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return body, nil
}

// hasWhole reports whether an object exists and can be read.
func (r *repository) hasWhole(kind plumbing.ObjectType, hash plumbing.Hash) bool {
	_, err := r.readObject(kind, hash)
	return err == nil
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

// packs reads packed objects. It caches the pack indexes until an object is missing or
// cannot be read, which means that packs have come or gone.
type packs struct {
	dir string

	mu    sync.Mutex
	store *filesystem.ObjectStorage
}

// packCacheSize bounds the delta bases that are cached for a project.
const packCacheSize = 2 * cache.MiByte

func (p *packs) read(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store != nil {
		if kind, body, err := readPacked(p.store, hash); err == nil {
			return kind, body, nil
		}
	}
	p.reopen()
	kind, body, err := readPacked(p.store, hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = fmt.Errorf("object %s: %w", hash, fs.ErrNotExist)
	}
	return kind, body, err
}

// reopen looks again which packs there are. The caller holds the lock.
func (p *packs) reopen() {
	storage := filesystem.NewStorage(osfs.New(p.dir, osfs.WithBoundOS()), cache.NewObjectLRU(packCacheSize))
	p.store = &storage.ObjectStorage
}

func readPacked(store *filesystem.ObjectStorage, hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	found, err := store.EncodedObject(plumbing.AnyObject, hash)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	reader, err := found.Reader()
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	defer reader.Close()
	body, err := io.ReadAll(reader)
	return found.Type(), body, err
}
