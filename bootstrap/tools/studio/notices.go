package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// noticesFile is beside the sources. It is embedded together with the studio.
const noticesFile = "NOTICES.txt"

// notice is the licence of a package with which the studio is built.
type notice struct{ name, licence, text string }

// notices collects the licences of all packages in a set, including transitive
// dependencies. A package without a licence is an error, because it must not be
// distributed.
func notices(set string) ([]byte, error) {
	found := make(map[string]notice)
	for open := []string{filepath.Join(set, "node_modules")}; len(open) > 0; open = open[1:] {
		dirs, err := packagesIn(open[0])
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			if _, seen := found[dir]; seen {
				continue
			}
			if found[dir], err = noticeOf(dir); err != nil {
				return nil, err
			}
			open = append(open, neighbours(dir))
		}
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b notice) int { return strings.Compare(a.name, b.name) })
	var text bytes.Buffer
	fmt.Fprintln(&text, "The studio is built with these packages. `make studio` writes this file.")
	for _, each := range all {
		fmt.Fprintf(&text, "\n%s\n%s (%s)\n%s\n\n%s\n", strings.Repeat("-", 80), each.name, each.licence, strings.Repeat("-", 80), each.text)
	}
	return text.Bytes(), nil
}

// packagesIn lists the packages of a node_modules directory, by their real paths.
func packagesIn(modules string) (dirs []string, err error) {
	for _, pattern := range []string{"[^@.]*", "@*/*"} {
		matches, err := filepath.Glob(filepath.Join(modules, pattern))
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			dir, err := filepath.EvalSymlinks(match)
			if err != nil {
				return nil, err
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// neighbours returns the node_modules directory that contains a package and its
// dependencies.
func neighbours(dir string) string {
	if parent := filepath.Dir(dir); !strings.HasPrefix(filepath.Base(parent), "@") {
		return parent
	}
	return filepath.Dir(filepath.Dir(dir))
}

func noticeOf(dir string) (notice, error) {
	content, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return notice{}, err
	}
	var manifest struct{ Name, Version, License string }
	if err := json.Unmarshal(content, &manifest); err != nil {
		return notice{}, fmt.Errorf("%s: %w", dir, err)
	}
	name := manifest.Name + " " + manifest.Version
	files, err := fs.Glob(os.DirFS(dir), "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*")
	if err != nil || len(files) == 0 || manifest.License == "" {
		return notice{}, fmt.Errorf("%s has no licence file", name)
	}
	text, err := os.ReadFile(filepath.Join(dir, files[0]))
	return notice{name, manifest.License, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))}, err
}
