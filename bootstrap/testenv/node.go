package main

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
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The Node.js that the tests bring where there is none, or one that today's tools do
// not run on, as in Debian 12. It comes from the npm registry, like the packages of
// the tests.
const (
	nodeVersion = "22.23.3"
	npmVersion  = "10.9.4"
	oldestMajor = 20
	oldestMinor = 19
	// downloadTime bounds one archive, of 60 MB at most.
	downloadTime = 5 * time.Minute
)

// archive is a package of the registry, by its SHA-512 in base64.
type archive struct{ url, digest string }

func npmArchive() archive {
	return archive{
		"https://registry.npmjs.org/npm/-/npm-" + npmVersion + ".tgz",
		"OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==",
	}
}

// nodeArchive returns the archive for this kind of processor.
func nodeArchive() (archive, error) {
	kinds := map[string][2]string{
		"amd64": {"x64", "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=="},
		"arm64": {"arm64", "l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=="},
	}
	kind, known := kinds[runtime.GOARCH]
	if !known {
		return archive{}, errors.New("there is no Node.js to fetch for " + runtime.GOARCH)
	}
	name := "node-linux-" + kind[0]
	return archive{"https://registry.npmjs.org/" + name + "/-/" + name + "-" + nodeVersion + ".tgz", kind[1]}, nil
}

// bringNode returns the directory that PATH has to begin with, "" when the Node.js
// that is there will do. What it fetches stays in the user's cache.
func bringNode(ctx context.Context, log io.Writer) (string, error) {
	if isRecent(ctx) {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	prefix := filepath.Join(cache, "atelier-testenv", "node-"+nodeVersion+"-npm-"+npmVersion)
	if _, err := os.Stat(prefix); err == nil {
		return filepath.Join(prefix, "bin"), nil
	}
	fmt.Fprintf(log, "testenv: fetching Node.js %s\n", nodeVersion)
	if err := fetchNode(ctx, prefix); err != nil {
		return "", fmt.Errorf("the tests need Node.js %d.%d or newer with npm, and it cannot be fetched (%w): install it by hand", oldestMajor, oldestMinor, err)
	}
	return filepath.Join(prefix, "bin"), nil
}

// isRecent reports whether today's tools run on the Node.js in PATH.
func isRecent(ctx context.Context) bool {
	if _, err := exec.LookPath("npm"); err != nil {
		return false
	}
	said, err := exec.CommandContext(ctx, "node", "--version").Output()
	return err == nil && recent(strings.TrimSpace(string(said)))
}

// recent judges a version such as v22.1.0.
func recent(version string) bool {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err := strconv.Atoi(major)
	second, bad := strconv.Atoi(minor)
	return err == nil && bad == nil && (first > oldestMajor || first == oldestMajor && second >= oldestMinor)
}

// fetchNode lays Node.js and npm out under a prefix, all at once.
func fetchNode(ctx context.Context, prefix string) error {
	node, err := nodeArchive()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(prefix), 0o755); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(filepath.Dir(prefix), "draft-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	npm := filepath.Join("lib", "node_modules", "npm")
	if err := errors.Join(fetch(ctx, node, draft), fetch(ctx, npmArchive(), filepath.Join(draft, npm))); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join("..", npm, "bin", "npm-cli.js"), filepath.Join(draft, "bin", "npm")); err != nil {
		return err
	}
	if err := os.Chmod(draft, 0o755); err != nil {
		return err
	}
	return os.Rename(draft, prefix)
}

// fetch unpacks an archive whose digest is right.
func fetch(ctx context.Context, from archive, to string) error {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.url, nil)
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
		return errors.Join(fmt.Errorf("%s: status %d", from.url, response.StatusCode), err)
	}
	if sum := sha512.Sum512(content); base64.StdEncoding.EncodeToString(sum[:]) != from.digest {
		return errors.New(from.url + " is not what it should be")
	}
	return unpack(bytes.NewReader(content), to)
}

// unpack lays out the regular files of a package, which stand below one directory.
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
