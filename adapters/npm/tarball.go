package npm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/atelierhq/atelier/core"
)

// archive is a published package, verified against its digest.
type archive struct {
	io.ReadSeeker
	size int64
	file *os.File // nil when it is in memory
}

// Close closes the archive's file.
func (a *archive) Close() {
	if a.file != nil {
		_ = a.file.Close() // the file was only read
	}
}

// openArchive takes a package from the seed, from the mirror's cache, or from the
// registry. Content that does not match the digest has code core.CodeUnavailable.
func (r *Resolver) openArchive(ctx context.Context, pkg *lockedPackage) (*archive, error) {
	if at, err := r.openLocal(pkg); at != nil || err != nil {
		return at, err
	}
	file, err := os.CreateTemp(r.store.path(tmpDir), "")
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.Remove(file.Name()), r.download(ctx, pkg, file))
	if err == nil {
		return rewind(file)
	}
	return nil, errors.Join(err, file.Close())
}

// openLocal takes a package from a place that needs no network, if it has the package. A
// copy that the disk has damaged counts as missing.
func (r *Resolver) openLocal(pkg *lockedPackage) (*archive, error) {
	if content, found := r.seed.archive(pkg); found {
		if err := verify(bytes.NewReader(content), pkg); err != nil {
			return nil, err
		}
		return &archive{ReadSeeker: bytes.NewReader(content), size: int64(len(content))}, nil
	}
	file, err := os.Open(r.store.path(tarballsDir, pkg.contentName()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_ = r.store.touch(tarballsDir, pkg.contentName()) // only matters to Sweep
	if verify(file, pkg) == nil {
		return rewind(file)
	}
	return nil, errors.Join(file.Close(), os.Remove(file.Name()))
}

// rewind makes an archive of a file that has already been read.
func rewind(file *os.File) (*archive, error) {
	_, err := file.Seek(0, io.SeekStart)
	info, statErr := file.Stat()
	if err := errors.Join(err, statErr); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &archive{file, info.Size(), file}, nil
}

// download writes the archive of a package from the registry to file.
func (r *Resolver) download(ctx context.Context, pkg *lockedPackage, file *os.File) error {
	if _, _, err := digestOf(pkg.Integrity); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the digest of %s cannot be read", pkg.key())
	}
	err := r.registry.tarball(ctx, pkg, func() (io.Writer, error) {
		_, err := file.Seek(0, io.SeekStart)
		return file, errors.Join(err, file.Truncate(0))
	})
	if errors.Is(err, errTooLarge) {
		return core.Errorf(core.CodeValidationFailed, "the archive of %s is larger than %d bytes", pkg.key(), r.limits.tarballBytes)
	}
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return verify(file, pkg)
}
