package bwrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// The oldest version of Node.js that today's tools support.
const (
	oldestMajor = 20
	oldestMinor = 19
)

var howToGetNode = core.Phrasef("the operator can install nodejs with npm (Debian 13 and Ubuntu 26.04: apt install nodejs npm; elsewhere the archive of nodejs.org, unpacked in /usr/local)")

// node is the Node.js that tools run on.
type node struct {
	// dir holds the programs. mounts make it visible if the machine's programs do not
	// include it.
	dir    string
	mounts []mount
	// version is the reported version, with that of its package manager.
	version string
	err     error
}

// lookNode finds the first Node.js in PATH and tries it in the sandbox.
func (t *Tools) lookNode() node {
	fail := func(err error, format string, args ...any) node {
		return node{err: core.Wrap(core.CodeSandboxUnavailable, err, format, args...)}
	}
	cage := t.runner.probe().cage
	if cage == nil {
		return fail(t.runner.probe().err, "projects with tools of their own cannot run here, because there is no sandbox: install bubblewrap and nodejs; %s", howToInstall)
	}
	if t.runner.config.Helper == "" {
		return fail(nil, "projects with tools of their own cannot run here, because this program has no helper for their sandbox")
	}
	program, err := exec.LookPath("node")
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return fail(err, "projects with tools of their own cannot run here, because Node.js is not installed: %s", howToGetNode)
	}
	found := node{dir: filepath.Dir(program)}
	if !covers(cage.system, program) {
		prefix := filepath.Dir(found.dir)
		found.mounts = []mount{{source: prefix}}
		if exposed := t.runner.exposed(found.mounts); exposed != "" || prefix == "/" {
			return fail(nil, "projects with tools of their own cannot run here, because Node.js is in %s, together with files that they must not see", prefix)
		}
	}
	if found.version, err = t.tryNode(cage, found); err != nil {
		return fail(err, "projects with tools of their own cannot run here, because Node.js or npm does not work in the sandbox: %s", howToGetNode)
	}
	if tooOld(found.version) {
		return fail(nil, "projects with tools of their own cannot run here, because Node.js %s is too old, %d.%d is needed: %s", strings.Fields(found.version)[0], oldestMajor, oldestMinor, howToGetNode)
	}
	return found
}

// covers reports whether a program is visible through mounts.
func covers(mounts []mount, program string) bool {
	for _, mount := range mounts {
		if mount.link == "" && contains(mount.source, program) {
			return true
		}
	}
	return false
}

// tryNode returns the versions, as in "v22.1.0 npm 11.0.0".
func (t *Tools) tryNode(cage *cage, found node) (string, error) {
	dir, remove, err := emptyProject()
	if err != nil {
		return "", err
	}
	defer remove()
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	said := &strings.Builder{}
	identity, err := identityBinds(t.config.Dir)
	if err != nil {
		return "", err
	}
	probe := job{tools: t, node: found, dir: dir, place: workplace{dir}, identity: identity}
	result, err := probe.run(ctx, "node --version && npm --version", nil, func(line string) { fmt.Fprintln(said, line) })
	if err != nil {
		return "", err
	}
	words := strings.Fields(said.String())
	if !result.Good() || len(words) != 2 {
		return "", errors.New(strings.TrimSpace(said.String()))
	}
	return words[0] + " npm " + words[1], nil
}

func tooOld(version string) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return true
	}
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	return major < oldestMajor || major == oldestMajor && minor < oldestMinor
}

// Files in which programs look up their user and host.
const (
	hostsFile  = "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 sandbox\n"
	passwdFile = "app:x:1000:1000:app:/tmp/home:/bin/sh\n"
	groupFile  = "app:x:1000:\n"
)

// identityBinds writes those files if they are missing and returns their mounts. Running
// tools see them, so they are replaced and never overwritten.
func identityBinds(dir string) ([]bind, error) {
	at := filepath.Join(dir, ".etc")
	if err := errors.Join(durable.Private(dir), os.MkdirAll(at, 0o755)); err != nil {
		return nil, err
	}
	var binds []bind
	for name, content := range map[string]string{"hosts": hostsFile, "passwd": passwdFile, "group": groupFile} {
		file := filepath.Join(at, name)
		if there, err := os.ReadFile(file); err != nil || string(there) != content {
			if err := replaceFile(file, content); err != nil {
				return nil, err
			}
		}
		binds = append(binds, bind{file, "/etc/" + name, false})
	}
	return binds, nil
}

// replaceFile atomically replaces a file with one that every user may read.
func replaceFile(name, content string) error {
	draft, err := os.CreateTemp(filepath.Dir(name), "draft-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.WriteString(content)
	if err = errors.Join(err, draft.Chmod(0o644), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), name)
}
