package directsave

import (
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// Bounds of the search for how a project writes classes.
const (
	maxSheets    = 100
	maxReadBytes = 256 << 10
)

var (
	lineComment = regexp.MustCompile(`(?m)(^|\s)//.*$`)
	prefixOf    = regexp.MustCompile("\\bprefix[\"']?\\s*:\\s*[\"'`]([\\w-]+)[\"'`]")
	separatorOf = regexp.MustCompile("\\bseparator[\"']?\\s*:\\s*[\"'`]([^\"'`\\s]+)[\"'`]")
	modernSheet = regexp.MustCompile(`@import\s+["']tailwindcss(?:/(?:index|theme|utilities)(?:\.css)?)?["']([^;]*)`)
	modernName  = regexp.MustCompile(`\bprefix\(\s*([a-z]+)\s*\)`)
)

// dialectOf returns how a project writes classes of Tailwind: as its style sheets say for version 4, else
// as its configuration does for version 3. Only what is written out counts.
func dialectOf(files fs.FS) markup.Dialect {
	if import4, found := modernImport(files); found {
		var dialect markup.Dialect
		if prefix := modernName.FindStringSubmatch(import4); prefix != nil {
			dialect.Prefix = prefix[1]
		}
		return dialect
	}
	for _, ext := range []string{".ts", ".js", ".cjs", ".mjs", ".mts", ".cts"} {
		text := lineComment.ReplaceAllString(readText(files, "tailwind.config"+ext), "")
		if text == "" {
			continue
		}
		dialect := markup.Dialect{Three: true}
		if prefix := prefixOf.FindStringSubmatch(text); prefix != nil {
			dialect.Prefix = prefix[1]
		}
		if separator := separatorOf.FindStringSubmatch(text); separator != nil {
			dialect.Separator = separator[1]
		}
		return dialect
	}
	return markup.Dialect{Three: wantsThree(files)}
}

// modernImport returns what a style sheet says beside its import of version 4.
func modernImport(files fs.FS) (beside string, found bool) {
	sheets := 0
	// An entry that cannot be read says nothing.
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if name == "." {
			return nil
		}
		if parsed, wrong := core.ParsePath(name); err != nil || wrong != nil || parsed.Generated() {
			if err == nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".css" || !entry.Type().IsRegular() {
			return nil
		}
		if match := modernSheet.FindStringSubmatch(readText(files, name)); match != nil {
			beside, found = match[1], true
			return fs.SkipAll
		}
		if sheets++; sheets == maxSheets {
			return fs.SkipAll
		}
		return nil
	})
	return beside, found
}

// wantsThree reports whether package.json asks for a version before 4.
func wantsThree(files fs.FS) bool {
	var manifest struct{ Dependencies, DevDependencies map[string]string }
	if json.Unmarshal([]byte(readText(files, "package.json")), &manifest) != nil {
		return false
	}
	version := strings.TrimLeft(manifest.DevDependencies["tailwindcss"]+manifest.Dependencies["tailwindcss"], "^~>=v ")
	return strings.HasPrefix(version, "3") || strings.HasPrefix(version, "2")
}

// readText reads the beginning of a file, "" if there is none.
func readText(files fs.FS, name string) string {
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxReadBytes))
	return string(text)
}
