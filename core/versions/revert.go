package versions

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/ports/vcs"
)

// revertedFile returns the change that undoes one file's change, nil if nothing of
// it is left, or the conflict that prevents it.
func revertedFile(ctx context.Context, now files.Snapshot, change vcs.Change) (back *core.FileChange, conflict string, err error) {
	content, found, err := now.Read(ctx, change.Path)
	if err != nil {
		return nil, "", err
	}
	switch {
	case change.Before == nil:
		back, conflict = unmade(change, content, found)
		return back, conflict, nil
	case change.After == nil:
		return undeleted(ctx, now, change, content, found)
	case !found:
		return nil, fmt.Sprintf("%s has been deleted since", change.Path), nil
	}
	back, conflict = unchanged(change, content)
	return back, conflict, nil
}

// unmade undoes the creation of a file.
func unmade(change vcs.Change, content []byte, found bool) (*core.FileChange, string) {
	switch {
	case !found:
		return nil, ""
	case !bytes.Equal(content, change.After):
		return nil, fmt.Sprintf("%s was made by this version and has been edited since", change.Path)
	}
	return &core.FileChange{Op: core.OpDelete, Path: change.Path}, ""
}

// undeleted undoes the deletion of a file.
func undeleted(ctx context.Context, now files.Snapshot, change vcs.Change, content []byte, found bool) (*core.FileChange, string, error) {
	if found && bytes.Equal(content, change.Before) {
		return nil, "", nil
	}
	vacant, err := now.Vacant(ctx, change.Path)
	if err != nil {
		return nil, "", err
	}
	if !vacant {
		return nil, fmt.Sprintf("%s was deleted by this version, and something else now has its path", change.Path), nil
	}
	return &core.FileChange{Op: core.OpWrite, Path: change.Path, Content: change.Before}, "", nil
}

// unchanged undoes the change of a file, with a three-way merge.
func unchanged(change vcs.Change, content []byte) (*core.FileChange, string) {
	if bytes.Equal(content, change.Before) || bytes.Equal(change.Before, change.After) {
		return nil, ""
	}
	if bytes.Equal(content, change.After) {
		return &core.FileChange{Op: core.OpWrite, Path: change.Path, Content: change.Before}, ""
	}
	if !isText(content) || !isText(change.Before) || !isText(change.After) {
		return nil, fmt.Sprintf("%s is not text and has been changed since", change.Path)
	}
	merged, conflicts := merge.Merge(change.After, content, change.Before)
	if len(conflicts) > 0 {
		return nil, fmt.Sprintf("%s %s", change.Path, linesOf(conflicts))
	}
	if bytes.Equal(merged, content) {
		return nil, ""
	}
	return &core.FileChange{Op: core.OpWrite, Path: change.Path, Content: merged}, ""
}

// maxMergedBytes bounds each of the three texts of a merge.
const maxMergedBytes = 8 << 20

// isText reports whether content can be merged by lines.
func isText(content []byte) bool {
	return len(content) <= maxMergedBytes && utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// maxRanges bounds the listed places of one file.
const maxRanges = 10

// linesOf names places in the current file.
func linesOf(conflicts []merge.Conflict) string {
	var ranges []string
	for i, c := range conflicts {
		if i == maxRanges {
			ranges = append(ranges, "…")
			break
		}
		switch {
		case c.To < c.From:
			ranges = append(ranges, fmt.Sprintf("before %d", c.From))
		case c.To == c.From:
			ranges = append(ranges, fmt.Sprint(c.From))
		default:
			ranges = append(ranges, fmt.Sprintf("%d-%d", c.From, c.To))
		}
	}
	if len(ranges) == 1 && conflicts[0].From == conflicts[0].To {
		return "line " + ranges[0]
	}
	return "lines " + strings.Join(ranges, ", ")
}
