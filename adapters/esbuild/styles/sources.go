package styles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// Bounds on the files that are searched for class names.
const (
	maxClassBytes = 64 << 20
	maxCandidates = 100_000
)

// classSource is a file that is searched for class names.
type classSource struct {
	name string
	text []byte
	sum  [sha256.Size]byte
}

type classSources []classSource

// sum is a digest of the content of the files and of their languages.
func (c classSources) sum() string {
	digest := sha256.New()
	for _, source := range c {
		fmt.Fprintf(digest, "%q\n", path.Ext(source.name))
		digest.Write(source.sum[:])
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// classSources reads the files of a selection. It treats files that are too large for a
// module as data.
func (w *compilation) classSources(selection *tailwind.Selection) (classSources, error) {
	p := w.project
	var found classSources
	size := 0
	add := func(name string, text []byte) error {
		if size += len(text); size > maxClassBytes {
			return w.excess(fmt.Sprintf("%d MB of sources", maxClassBytes>>20))
		}
		found = append(found, classSource{name, text, sha256.Sum256(text)})
		return nil
	}
	for _, name := range p.Src.Walk(".", tailwind.SkipDir) {
		if !selection.Has(name) {
			continue
		}
		text, err := p.Src.Read(name, project.MaxModuleBytes)
		if err != nil {
			continue
		}
		if err := add(name, text); err != nil {
			return nil, err
		}
	}
	for _, name := range selection.Packages() {
		if err := eachFile(p.Packages, name, selection.Has, add); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (w *compilation) excess(what string) error {
	return &tailwind.Mistake{Message: fmt.Sprintf("Tailwind would have to scan more than %s for class names: leave files out with @source not \"…\", or name those that count with @import \"tailwindcss\" source(\"…\")", what)}
}

// eachFile calls add for the files of an installed package that match picks. It does not
// follow links.
func eachFile(t *project.Packages, name string, has func(name string) bool, add func(name string, text []byte) error) error {
	if t.Dir == "" || !fs.ValidPath(name) {
		return nil
	}
	real, err := filepath.EvalSymlinks(filepath.Join(t.Dir, "node_modules", filepath.FromSlash(name)))
	if err != nil || !t.Holds(real+string(filepath.Separator)) {
		return nil // a package that is not installed has no files
	}
	files := 0
	return fs.WalkDir(os.DirFS(real), ".", func(inside string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		whole := "node_modules/" + name + "/" + inside
		if !entry.Type().IsRegular() || !has(whole) {
			return nil
		}
		if files++; files > project.MaxFiles {
			return fs.SkipAll
		}
		info, err := entry.Info()
		if err != nil || info.Size() > project.MaxModuleBytes {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(real, filepath.FromSlash(inside)))
		if err != nil {
			return nil
		}
		return add(whole, text)
	})
}

// candidates returns the words of the sources that may be class names, sorted.
func (w *compilation) candidates(sources classSources, safelist []string) ([]string, error) {
	all := make(map[string]bool)
	for _, word := range safelist {
		all[word] = true
	}
	for _, source := range sources {
		key := path.Ext(source.name) + string(source.sum[:])
		words, known := w.words.Get(key)
		if !known {
			found := make(map[string]bool)
			tailwind.Scan(source.name, source.text, found)
			words = tailwind.Sorted(found)
			w.words.Put(key, words)
		}
		for _, word := range words {
			all[word] = true
		}
		if len(all) > maxCandidates {
			return nil, w.excess(fmt.Sprintf("%d different words", maxCandidates))
		}
	}
	return tailwind.Sorted(all), nil
}
