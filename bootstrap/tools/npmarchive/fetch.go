// Package npmarchive downloads development programs that are packages of the npm
// registry, each pinned by its digest. These are Node.js, which the tests need if a
// machine has none, and Biome, which lints the studio. They are cached in the user's
// cache, and then need no network.
package npmarchive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fetchTime bounds the download of one archive, of 60 MB at most.
const fetchTime = 5 * time.Minute

// Archive is a package of the registry, with its SHA-512 in base64.
type Archive struct{ URL, Digest string }

// Keep fills a directory once and atomically: if fill fails, or the program ends while it
// runs, the directory does not exist. If two processes fill it at the same time, the
// first one counts.
func Keep(dir string, fill func(draft string) error) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(filepath.Dir(dir), "draft-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	if err := fill(draft); err != nil {
		return err
	}
	if err := os.Chmod(draft, 0o755); err != nil {
		return err
	}
	if err := os.Rename(draft, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// Fetch unpacks an archive into a directory. If the digest differs, it refuses the
// archive and unpacks nothing.
func Fetch(ctx context.Context, from Archive, to string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.URL, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: status %d", from.URL, response.StatusCode), err)
	}
	if sum := sha512.Sum512(content); base64.StdEncoding.EncodeToString(sum[:]) != from.Digest {
		return errors.New(from.URL + " does not have the pinned digest")
	}
	return unpack(bytes.NewReader(content), to)
}

// unpack writes the regular files of a package, which are all below one directory.
func unpack(packed io.Reader, to string) error {
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, inside := strings.Cut(entry.Name, "/")
		if entry.Typeflag != tar.TypeReg || !inside {
			continue
		}
		if err := put(root, name, entries, entry.FileInfo().Mode().Perm()|0o644); err != nil {
			return err
		}
	}
}

func put(root *os.Root, name string, content io.Reader, mode os.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
