package filetests

import (
	"bytes"
	"context"
	"io/fs"
	"regexp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// lineSearch is a plain engine: what searching means is the business of the
// engines' own suite.
type lineSearch struct{}

func (lineSearch) Search(_ context.Context, sources fs.FS, query search.Query) (search.Found, error) {
	pattern, err := regexp.Compile(query.Pattern)
	if err != nil {
		return search.Found{}, core.Wrap(core.CodeInvalidRegex, err, "not a pattern")
	}
	var found search.Found
	err = fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(content, []byte("\n")) {
			at := pattern.FindIndex(line)
			if at == nil {
				continue
			}
			if len(found.Matches) == query.Limit {
				found.Truncated = true
				return fs.SkipAll
			}
			found.Matches = append(found.Matches, core.Match{Path: core.MustPath(name), Line: i + 1, Column: at[0] + 1, Text: string(line)})
		}
		return nil
	})
	return found, err
}
