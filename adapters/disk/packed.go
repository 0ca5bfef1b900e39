package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

var encodings = []sites.Encoding{sites.Brotli, sites.Gzip}

// formPath returns the path of a content's compressed form. The file holds the SHA-256 of
// the form, and the form, which is empty if compression gains nothing.
func (c contents) formPath(digest string, as sites.Encoding) string {
	return filepath.Join(c.dir, formsDir, digest+"."+string(as))
}

// Pack implements sites.Store. One deployment is packed at a time.
func (s *Sites) Pack(ctx context.Context, deployment core.ID) error {
	entries, err := s.List(ctx, deployment)
	if err != nil {
		return err
	}
	if err := s.packing.Lock(ctx); err != nil {
		return err
	}
	defer s.packing.Unlock()
	for _, entry := range entries {
		if !sites.Packable(entry.Path, entry.Size) {
			continue
		}
		if err := s.pack(ctx, deployment, entry); err != nil {
			return err
		}
	}
	return nil
}

// pack makes the missing forms of a file.
func (s *Sites) pack(ctx context.Context, deployment core.ID, entry sites.Entry) error {
	var content []byte
	for _, as := range encodings {
		path := s.contents.formPath(entry.Digest, as)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if content == nil {
			read, err := s.Read(ctx, deployment, entry)
			if err != nil {
				return err
			}
			content = read
		}
		if err := s.contents.keepForm(path, compress.Form(content, as, compress.Once)); err != nil {
			return durable.Fault(err, "sites folder")
		}
	}
	return ctx.Err()
}

// keepForm stores a form atomically.
func (c contents) keepForm(path string, form []byte) error {
	sum := sha256.Sum256(form)
	aside := c.scratch.name()
	if err := durable.WriteFile(aside, append(sum[:], form...), 0o644); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return os.Rename(aside, path)
}

// Packed implements sites.Store. A damaged form counts as missing and is removed.
func (s *Sites) Packed(ctx context.Context, deployment core.ID, entry sites.Entry, as sites.Encoding) ([]byte, bool, error) {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return nil, false, err
	}
	if _, err := os.Lstat(filepath.Join(place, manifestName)); err != nil {
		return nil, false, durable.Fault(err, "deployment")
	}
	path := s.contents.formPath(entry.Digest, as)
	kept, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, durable.Fault(err, "sites folder")
	}
	if len(kept) < sha256.Size {
		return nil, false, durable.Fault(os.Remove(path), "sites folder")
	}
	sum, form := kept[:sha256.Size], kept[sha256.Size:]
	if known := sha256.Sum256(form); !bytes.Equal(known[:], sum) {
		return nil, false, durable.Fault(os.Remove(path), "sites folder")
	}
	return form, true, nil
}
