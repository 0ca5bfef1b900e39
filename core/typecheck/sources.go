package typecheck

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Bounds of the search for names of packages. The compiler also checks sources
// beyond them.
const (
	maxSourceBytes  = 1 << 20
	maxSourcesBytes = 8 << 20
)

// configs are the configuration files of a project's application, in order of
// preference. In Vite's templates tsconfig.json only refers to others.
func configs() []string { return []string{"tsconfig.app.json", "tsconfig.json"} }

// sources is the TypeScript part of a project.
type sources struct {
	// config is the path of the configuration, "" if there is none.
	config string
	// typed says that there is a file to check, functions that the backend has functions among
	// these.
	typed, functions bool
	// texts are the files and the configuration, in which to look for names of
	// packages.
	texts [][]byte
}

// readSources looks through a project's files.
func readSources(ctx context.Context, files fs.FS) (sources, error) {
	var found sources
	for _, name := range configs() {
		if info, err := fs.Stat(files, name); err == nil && info.Mode().IsRegular() {
			found.config = name
			break
		}
	}
	if found.config == "" {
		return found, nil
	}
	_, err := fs.Stat(files, core.BackendSchemaPath)
	hasBackend := err == nil
	left := maxSourcesBytes
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || name == ".":
			return err
		case isLeftOut(name):
			return skip(entry)
		case !entry.Type().IsRegular():
			return nil
		}
		typed := isTyped(name)
		found.typed = found.typed || typed
		found.functions = found.functions || hasBackend && typed && strings.HasPrefix(name, core.FunctionsDir+"/")
		if (typed || name == found.config) && left > 0 {
			text := readStart(files, name, min(left, maxSourceBytes))
			left -= len(text)
			found.texts = append(found.texts, text)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		err = core.Wrap(core.CodeUnavailable, err, "the project's files cannot be read")
	}
	return found, err
}

func skip(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// isLeftOut reports whether a file is not a source: the repository, and output of
// tools.
func isLeftOut(name string) bool {
	parsed, err := core.ParsePath(name)
	return err != nil || parsed.Generated()
}

func isTyped(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".mts", ".cts":
		return true
	}
	return false
}

// readStart reads the beginning of a file, nothing if it was deleted.
func readStart(files fs.FS, name string, most int) []byte {
	file, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, int64(most)))
	return text
}

// mention reports whether a package, or a file in it, is in quotes somewhere, as in
// imports, references and the types of a configuration.
func (s sources) mention(name string) bool {
	for _, quote := range []string{`"`, `'`} {
		for _, end := range []string{quote, "/"} {
			if s.have(quote + name + end) {
				return true
			}
		}
	}
	return false
}

func (s sources) have(text string) bool {
	for _, source := range s.texts {
		if bytes.Contains(source, []byte(text)) {
			return true
		}
	}
	return false
}
