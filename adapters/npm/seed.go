package npm

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"

	"github.com/atelierhq/atelier/core"
)

//go:embed seed
var builtIn embed.FS

// BuiltIn is the seed that is embedded in the program: the packages of the built-in
// templates, as published.
func BuiltIn() fs.FS {
	files, err := fs.Sub(builtIn, "seed")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

// seedIndex is the index file of a seed: for each name, a packument of the versions whose
// archives lie beside it.
const seedIndex = "packages.json"

// seed holds packages that need no network. It reads archives on demand.
type seed struct {
	files fs.FS
	index map[string]*packument
}

func openSeed(files fs.FS) (*seed, error) {
	if files == nil {
		return &seed{}, nil
	}
	s := &seed{files: files}
	text, err := fs.ReadFile(files, seedIndex)
	if err == nil {
		err = json.Unmarshal(text, &s.index)
	}
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the seed of packages cannot be read")
	}
	return s, nil
}

func (s *seed) has(name string) bool { return s.index[name] != nil }

// pick returns the version of the seed that matches a range. Only the registry can
// resolve a tag.
func (s *seed) pick(want spec) (manifest, bool) {
	known := s.index[want.name]
	if known == nil || want.versions == nil {
		return manifest{}, false
	}
	found, err := known.pick(want)
	return found, err == nil
}

// archive returns the archive of a package if the seed has it. The digest must match, not
// just name and version.
func (s *seed) archive(pkg *lockedPackage) ([]byte, bool) {
	known := s.index[pkg.Name]
	if known == nil {
		return nil, false
	}
	found, ok := known.manifest(pkg.Name, pkg.Version)
	if !ok {
		return nil, false
	}
	if integrity, err := integrityOf(&found); err != nil || integrity != pkg.Integrity {
		return nil, false
	}
	content, err := fs.ReadFile(s.files, archiveName(pkg))
	return content, err == nil
}

// archiveName returns the file name of an archive in a seed.
func archiveName(pkg *lockedPackage) string {
	return strings.ReplaceAll(pkg.key(), "/", "+") + ".tgz"
}
