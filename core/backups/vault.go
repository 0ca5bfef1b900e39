// Package backups makes copies of the whole installation on a schedule, tries each, and keeps the latest.
//
// A Vault writes an archive to storage, reads it back as a restore would, and compares. Only then
// does it store the archive's checksum beside it, as a file that sha256sum -c takes: an archive
// without one was never verified. Retention counts verified ones only, so that a series of failures removes
// nothing.
//
// Service adds what the running service needs: the schedule, which processes share through the
// database, and what admins see.
package backups

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/objects"
)

// Archive writes and reads copies of the installation.
type Archive interface {
	// Suffix ends the names of archives.
	Suffix() string
	// Write writes one, and returns a digest of what is in it.
	Write(ctx context.Context, w io.Writer) (digest string, err error)
	// Check reads one as a restore would, and returns the digest that Write returned. It returns "" if the
	// service cannot read what it writes.
	Check(ctx context.Context, r io.Reader) (digest string, err error)
}

// Vault keeps archives in storage. Many goroutines may use it.
type Vault struct {
	// Objects is where they are; nil means that backups are off.
	Objects objects.Store
	Archive Archive
	// Keep is how many verified ones are kept.
	Keep int
	Now  func() time.Time
}

// On reports whether backups have a place.
func (v *Vault) On() bool { return v.Objects != nil }

// The names of archives begin with a prefix and the time in UTC. A checksum is beside its archive.
const (
	namePrefix     = "atelier-"
	nameTime       = "2006-01-02T150405.000Z"
	checksumSuffix = ".sha256"
)

// Make writes an archive, verifies it, and removes those that are too old. One that is not as it was
// written is removed, and has code core.CodeConflict.
func (v *Vault) Make(ctx context.Context) (core.Backup, error) {
	now := v.Now().UTC().Truncate(time.Millisecond)
	made := core.Backup{Name: namePrefix + now.Format(nameTime) + v.Archive.Suffix(), CreatedAt: core.At(now)}
	written := newSum()
	inside, err := v.write(ctx, made.Name, written)
	if err != nil {
		return core.Backup{}, err
	}
	made.Bytes = written.bytes
	if err := v.verify(ctx, made.Name, written.text(), inside); err != nil {
		return core.Backup{}, errors.Join(err, v.Objects.Remove(context.WithoutCancel(ctx), made.Name))
	}
	line := fmt.Sprintf("%s  %s\n", written.text(), made.Name)
	if err := v.Objects.Put(ctx, made.Name+checksumSuffix, strings.NewReader(line)); err != nil {
		return core.Backup{}, err
	}
	made.Verified = true
	return made, v.tidy(ctx)
}

// sum counts and digests what is written to it.
type sum struct {
	hash.Hash
	bytes int64
}

func newSum() *sum { return &sum{Hash: sha256.New()} }

// Write implements io.Writer.
func (s *sum) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	return s.Hash.Write(p)
}

func (s *sum) text() string { return hex.EncodeToString(s.Sum(nil)) }

// write stores an archive while it is made.
func (v *Vault) write(ctx context.Context, name string, written *sum) (inside string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var failed error
		inside, failed = v.Archive.Write(ctx, io.MultiWriter(writer, written))
		_ = writer.CloseWithError(failed) // nil is the end of the stream
	}()
	err = v.Objects.Put(ctx, name, reader)
	// If storing fails, the archive has nobody to write to.
	_ = reader.CloseWithError(errors.Join(err, errors.New("the storage took no more")))
	<-done
	return inside, err
}

// verify reads an archive back, and compares it with what was written.
func (v *Vault) verify(ctx context.Context, name, want, inside string) error {
	content, err := v.Objects.Get(ctx, name)
	if err != nil {
		return err
	}
	read := newSum()
	whole := io.TeeReader(content, read)
	got, err := v.Archive.Check(ctx, whole)
	if err == nil {
		_, err = io.Copy(io.Discard, whole)
	}
	if err := errors.Join(err, content.Close()); err != nil {
		return core.Wrap(core.CodeConflict, err, "the backup was written, but could not be read back")
	}
	if read.text() != want || got != "" && got != inside {
		return core.Errorf(core.CodeConflict, "the backup was written, but reading it back gave other content")
	}
	return nil
}

// List returns the archives, the latest first.
func (v *Vault) List(ctx context.Context) ([]core.Backup, error) {
	listed, err := v.Objects.List(ctx)
	if err != nil {
		return nil, err
	}
	verified := map[string]bool{}
	for _, object := range listed {
		if name, isSum := strings.CutSuffix(object.Name, checksumSuffix); isSum {
			verified[name] = true
		}
	}
	found := []core.Backup{}
	for _, object := range listed {
		if at, ok := timeOf(object.Name); ok {
			found = append(found, core.Backup{Name: object.Name, CreatedAt: at, Bytes: object.Bytes, Verified: verified[object.Name]})
		}
	}
	slices.SortFunc(found, func(a, b core.Backup) int { return strings.Compare(b.Name, a.Name) })
	return found, nil
}

// timeOf returns the time in the name of an archive.
func timeOf(name string) (core.Time, bool) {
	rest, ours := strings.CutPrefix(name, namePrefix)
	if !ours || len(rest) < len(nameTime) || strings.HasSuffix(name, checksumSuffix) || !strings.HasPrefix(rest[len(nameTime):], ".tar.gz") {
		return 0, false
	}
	at, err := time.Parse(nameTime, rest[:len(nameTime)])
	return core.At(at), err == nil
}

// tidy removes the archives that are older than those to keep.
func (v *Vault) tidy(ctx context.Context) error {
	found, err := v.List(ctx)
	if err != nil {
		return err
	}
	kept := 0
	for _, backup := range found {
		if kept >= v.Keep {
			// The checksum goes last, so that a failure in between is repeated.
			if err := v.Objects.Remove(ctx, backup.Name); err != nil {
				return err
			}
			if err := v.Objects.Remove(ctx, backup.Name+checksumSuffix); err != nil {
				return err
			}
		}
		if backup.Verified {
			kept++
		}
	}
	return nil
}

// Latest is the name that Open takes for the latest verified archive.
const Latest = "latest"

// Open opens an archive by its name, or the latest. The caller closes it.
func (v *Vault) Open(ctx context.Context, name string) (opened string, content io.ReadCloser, err error) {
	if name == Latest {
		found, err := v.List(ctx)
		if err != nil {
			return "", nil, err
		}
		at := slices.IndexFunc(found, func(b core.Backup) bool { return b.Verified })
		if at < 0 {
			return "", nil, core.Errorf(core.CodeNotFound, "there is no verified backup yet")
		}
		name = found[at].Name
	}
	content, err = v.Objects.Get(ctx, name)
	return name, content, err
}
