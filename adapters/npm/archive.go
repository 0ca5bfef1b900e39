package npm

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/atelierhq/atelier/core"
)

// extraction unpacks one archive below root. It skips links and devices: no package needs them,
// and a link could lead out.
type extraction struct {
	ctx    context.Context
	name   string // of the package, for messages
	root   *os.Root
	limits limits
	// setBytes counts what all archives of a set have unpacked to.
	setBytes *atomic.Int64

	packed  int64
	written int64
	files   int
	others  int
	dir     *os.Root
	dirName string
}

// malformed is the error for an archive that breaks a rule. Its code is
// core.CodeValidationFailed, because only another package helps.
func (x *extraction) malformed(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, "%s cannot be unpacked: %s", x.name, fmt.Sprintf(format, args...))
}

func (x *extraction) run(packed *archive) error {
	x.packed = packed.size
	defer x.leave()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return x.malformed("its archive is not gzip")
	}
	for entries := tar.NewReader(x.boundedHeaders(unzipped)); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return x.malformed("its archive is broken: %v", err)
		}
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			// Folders and links cost as much work as files.
			if x.others++; x.others > x.limits.files {
				return x.malformed("it has more than %d folders and links", x.limits.files)
			}
			continue
		}
		if err := x.extract(header.Name, entries); err != nil {
			return err
		}
	}
}

// headerBytes is what an entry takes in an archive beside its content: its header, a header with
// longer names before it, and the padding of their last blocks.
const headerBytes = 4 << 10

// boundedHeaders returns a reader that bounds everything that an archive unpacks to. This
// includes the records before entries, which the tar reader skips by itself.
func (x *extraction) boundedHeaders(unzipped io.Reader) io.Reader {
	return &boundedReader{x, unzipped, x.limits.unpackedBytes + 2*headerBytes*int64(x.limits.files)}
}

type boundedReader struct {
	x    *extraction
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (r *boundedReader) Read(buffer []byte) (int, error) {
	n, err := r.from.Read(buffer)
	if r.left -= int64(n); r.left < 0 {
		return 0, r.x.malformed("with its headers it is larger than %d bytes", r.x.limits.unpackedBytes)
	}
	return n, err
}

// extract writes one file. A later entry of the same name replaces an earlier
// one.
func (x *extraction) extract(name string, content io.Reader) error {
	inside, err := x.inside(name)
	if err != nil {
		return err
	}
	if x.files++; x.files > x.limits.files {
		return x.malformed("it has more than %d files", x.limits.files)
	}
	dir, err := x.enter(path.Dir(inside))
	if err != nil {
		return err
	}
	file, err := create(dir, path.Base(inside))
	if err != nil {
		return x.clash(err, name)
	}
	_, err = io.Copy(file, &countingReader{x, content})
	return errors.Join(err, file.Close())
}

// create creates a read-only file and replaces an existing one.
func create(dir *os.Root, name string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_EXCL | os.O_WRONLY
	file, err := dir.OpenFile(name, flags, 0o444)
	if !errors.Is(err, fs.ErrExist) {
		return file, err
	}
	if err := dir.Remove(name); err != nil {
		return nil, err
	}
	return dir.OpenFile(name, flags, 0o444)
}

// inside strips the first path segment, by custom "package", and refuses names that would leave
// the package.
func (x *extraction) inside(name string) (string, error) {
	_, inside, found := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	inside = path.Clean(inside)
	switch {
	case !found || strings.HasPrefix(name, "/") || inside == "." || !fs.ValidPath(inside) || hasParent(name):
		return "", x.malformed("%q is not a path inside the package", name)
	case strings.ContainsAny(name, "\\\x00"):
		return "", x.malformed("%q is not a portable name", name)
	case strings.Count(inside, "/") >= x.limits.pathDepth:
		return "", x.malformed("%q is nested deeper than %d directories", name, x.limits.pathDepth)
	}
	return inside, nil
}

func hasParent(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// enter returns a directory of the package and creates it if needed. Archives list their files
// by directory, so the last one stays open.
func (x *extraction) enter(name string) (*os.Root, error) {
	if x.dir != nil && x.dirName == name {
		return x.dir, nil
	}
	if err := x.root.MkdirAll(name, 0o755); err != nil {
		return nil, x.clash(err, name)
	}
	dir, err := x.root.OpenRoot(name)
	if err != nil {
		return nil, x.clash(err, name)
	}
	x.leave()
	x.dir, x.dirName = dir, name
	return dir, nil
}

// leave closes the open directory, which was only used to resolve names.
func (x *extraction) leave() {
	if x.dir != nil {
		_ = x.dir.Close()
		x.dir = nil
	}
}

// clash distinguishes an archive that uses one name for both a file and a directory from a disk
// that fails.
func (x *extraction) clash(err error, name string) error {
	for _, kind := range []error{syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY} {
		if errors.Is(err, kind) {
			return x.malformed("%q is both a file and a directory", name)
		}
	}
	return err
}

// countingReader fails on a file that makes the package, or the set, too large.
type countingReader struct {
	x       *extraction
	content io.Reader
}

// Read implements io.Reader.
func (r *countingReader) Read(buffer []byte) (int, error) {
	n, err := r.content.Read(buffer)
	x := r.x
	x.written += int64(n)
	switch {
	case x.written > x.limits.unpackedBytes:
		return 0, x.malformed("it is larger than %d bytes", x.limits.unpackedBytes)
	case x.written > x.limits.ratioFloorBytes && x.written/max(1, x.packed) > x.limits.ratio:
		return 0, x.malformed("it is compressed by more than a factor of %d", x.limits.ratio)
	case x.setBytes.Add(int64(n)) > x.limits.setBytes:
		return 0, x.malformed("all packages together are larger than %d bytes", x.limits.setBytes)
	case err != nil && err != io.EOF:
		return 0, x.malformed("its archive is broken: %v", err)
	}
	return n, err
}
