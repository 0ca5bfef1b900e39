package memory

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// Bounds of a search in memory.
const (
	maxSearchedLine       = 64 << 10
	maxSniffedBytes       = 8 << 10
	maxSearchInstructions = 4 * search.MaxPatternBytes
	// maxSearchSteps bounds instructions times bytes, the worst case of the package
	// regexp: less than a second.
	maxSearchSteps = 20_000_000
)

// Search applies the package regexp to one line after the other.
type Search struct{}

var _ search.Engine = (*Search)(nil)

// NewSearch returns the engine.
func NewSearch() *Search { return &Search{} }

// Search implements search.Engine. A file that cannot be read has code
// core.CodeUnavailable; one that no longer exists is skipped.
func (*Search) Search(ctx context.Context, files fs.FS, query search.Query) (search.Found, error) {
	pattern, cost, err := compileSearch(query.Pattern)
	if err != nil {
		return search.Found{}, err
	}
	paths, err := searchablePaths(ctx, files)
	if err != nil {
		return search.Found{}, err
	}
	found := search.Found{Matches: []core.Match{}}
	steps := 0
	for _, path := range paths {
		content, err := readSearched(files, path)
		if err != nil {
			return search.Found{}, err
		}
		for number, line := range searchedLines(content) {
			if err := ctx.Err(); err != nil {
				return search.Found{}, err
			}
			if steps += cost * (1 + len(line)); steps > maxSearchSteps {
				return search.Found{}, core.Errorf(core.CodeInvalidRegex, "the pattern is too expensive to search for")
			}
			at := pattern.FindIndex(line)
			if at == nil {
				continue
			}
			if len(found.Matches) == query.Limit {
				found.Truncated = true
				return found, nil
			}
			found.Matches = append(found.Matches, core.Match{Path: path, Line: number + 1, Column: at[0] + 1, Text: shownLine(line)})
		}
	}
	return found, ctx.Err()
}

// compileSearch also returns how many instructions the pattern has.
func compileSearch(pattern string) (*regexp.Regexp, int, error) {
	if len(pattern) > search.MaxPatternBytes {
		return nil, 0, core.Errorf(core.CodeInvalidRegex, "the pattern is longer than %d bytes", search.MaxPatternBytes)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, core.Wrap(core.CodeInvalidRegex, err, "the pattern is not a regular expression in RE2 syntax")
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxSearchInstructions {
		return nil, 0, core.Wrap(core.CodeInvalidRegex, err, "the pattern has too many repetitions")
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, 0, core.Wrap(core.CodeInvalidRegex, err, "the pattern cannot be compiled")
	}
	return compiled, len(program.Inst), nil
}

func searchablePaths(ctx context.Context, files fs.FS) ([]core.ProjectPath, error) {
	var paths []core.ProjectPath
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) || name == "." && err == nil:
			return nil
		case err != nil:
			return core.Wrap(core.CodeUnavailable, err, "the project's files cannot be read")
		}
		path, refused := core.ParsePath(name)
		if (refused != nil || path.Generated()) && entry.IsDir() {
			return fs.SkipDir
		}
		if refused == nil && entry.Type().IsRegular() && !path.Generated() {
			paths = append(paths, path)
		}
		return nil
	})
	slices.SortFunc(paths, func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) })
	return paths, err
}

// readSearched returns the content of a file, nothing for a binary one.
func readSearched(files fs.FS, path core.ProjectPath) ([]byte, error) {
	content, err := fs.ReadFile(files, path.String())
	if errors.Is(err, fs.ErrNotExist) || bytes.IndexByte(content[:min(len(content), maxSniffedBytes)], 0) >= 0 {
		return nil, nil
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "a file cannot be read")
	}
	return content, nil
}

// searchedLines yields the lines, counted from 0, without their endings, up to the bounds
// of the search.
func searchedLines(content []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		number := 0
		for line := range bytes.Lines(content) {
			if ended, found := bytes.CutSuffix(line, []byte("\r\n")); found {
				line = ended
			}
			line = bytes.TrimSuffix(line, []byte("\n"))
			if !yield(number, line[:min(len(line), maxSearchedLine)]) {
				return
			}
			number++
		}
	}
}

// shownLine returns a line in the form of the result: cut at 500 characters, with the
// replacement character for each invalid UTF-8 byte.
func shownLine(line []byte) string {
	runes := []rune(string(line))
	return string(runes[:min(len(runes), search.MaxLineChars)])
}
