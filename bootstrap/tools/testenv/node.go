package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/tools/npmarchive"
)

// The Node.js that the tests download if there is none, or one that is too old for
// today's tools, as in Debian 12. It comes from the npm registry, like the packages of
// the tests.
const (
	nodeVersion = "22.23.3"
	npmVersion  = "10.9.4"
	oldestMajor = 20
	oldestMinor = 19
)

func npmArchive() npmarchive.Archive {
	return npmarchive.Archive{
		URL:    "https://registry.npmjs.org/npm/-/npm-" + npmVersion + ".tgz",
		Digest: "OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==",
	}
}

// nodeArchive returns the archive for this kind of processor.
func nodeArchive() (npmarchive.Archive, error) {
	kinds := map[string][2]string{
		"amd64": {"x64", "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=="},
		"arm64": {"arm64", "l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=="},
	}
	kind, known := kinds[runtime.GOARCH]
	if !known {
		return npmarchive.Archive{}, errors.New("there is no Node.js for " + runtime.GOARCH)
	}
	name := "node-linux-" + kind[0]
	return npmarchive.Archive{URL: "https://registry.npmjs.org/" + name + "/-/" + name + "-" + nodeVersion + ".tgz", Digest: kind[1]}, nil
}

// bringNode returns the directory with which PATH must begin, "" if the present Node.js
// suffices. What it downloads stays in the user's cache.
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

// isRecent reports whether today's tools support the Node.js in PATH.
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

// fetchNode installs Node.js and npm under a prefix, atomically.
func fetchNode(ctx context.Context, prefix string) error {
	node, err := nodeArchive()
	if err != nil {
		return err
	}
	return npmarchive.Keep(prefix, func(draft string) error {
		npm := filepath.Join("lib", "node_modules", "npm")
		if err := errors.Join(npmarchive.Fetch(ctx, node, draft), npmarchive.Fetch(ctx, npmArchive(), filepath.Join(draft, npm))); err != nil {
			return err
		}
		return os.Symlink(filepath.Join("..", npm, "bin", "npm-cli.js"), filepath.Join(draft, "bin", "npm"))
	})
}
