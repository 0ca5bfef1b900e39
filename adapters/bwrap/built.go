package bwrap

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/ports/toolchain"
)

// errTooLarge reports that a build produced more than a site may hold.
var errTooLarge = errors.New("the build is too large")

// gather reads the files of the first output directory that has pages. It follows no
// link: every path lies within the copy of the project, but a link may point outside.
func gather(dir string, outputs []string) (toolchain.BuildOutput, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return toolchain.BuildOutput{}, err
	}
	defer root.Close()
	for _, output := range outputs {
		if !isPlain(root, output) {
			continue
		}
		below, err := root.OpenRoot(output)
		if err != nil {
			return toolchain.BuildOutput{}, err
		}
		index, err := below.Lstat("index.html")
		if err != nil || !index.Mode().IsRegular() {
			_ = below.Close()
			continue
		}
		files, err := readAll(below)
		_ = below.Close()
		if errors.Is(err, errTooLarge) {
			return toolchain.BuildOutput{Output: output, TooLarge: true}, nil
		}
		return toolchain.BuildOutput{Output: output, Files: files}, err
	}
	return toolchain.BuildOutput{}, nil
}

// isPlain reports whether path is an existing directory and no component of it is a link.
func isPlain(root *os.Root, name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := root.Lstat(at)
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func readAll(root *os.Root) ([]toolchain.File, error) {
	var files []toolchain.File
	left := int64(toolchain.MaxBuiltBytes)
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if len(files) == toolchain.MaxBuiltFiles {
			return errTooLarge
		}
		content, err := readFile(root, name, left)
		left -= int64(len(content))
		if utf8.ValidString(name) {
			files = append(files, toolchain.File{Path: name, Content: content})
		}
		return err
	})
	slices.SortFunc(files, func(a, b toolchain.File) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

func readFile(root *os.Root, name string, most int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		return nil, errTooLarge
	}
	return content, err
}
