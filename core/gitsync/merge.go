package gitsync

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/ports/vcs"
)

// maxTextBytes is the largest text that is merged line by line, and that a conflict shows.
const maxTextBytes = 1 << 20

// sides are the three versions of one file; nil is a file that is not there.
type sides struct {
	path               core.ProjectPath
	base, ours, theirs *vcs.Blob
	message            string
}

// id names the three contents.
func (s sides) id() string {
	sum := sha256.New()
	for _, blob := range []*vcs.Blob{s.base, s.ours, s.theirs} {
		if blob == nil {
			blob = &vcs.Blob{}
		}
		fmt.Fprintf(sum, "%s %t\n", blob.ID, blob.Executable)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// plan is a three-way merge of two lines of versions.
type plan struct {
	ctx   context.Context
	lines files.Lines
	// settled are the conflicts that a person has settled, by path. settleAll takes our side of all.
	settled   map[string]Settlement
	settleAll bool
	files     map[string]vcs.JoinedFile
	conflicts []sides
	ours      map[string]bool
}

// newPlan merges the two lines. It does not change anything.
func newPlan(ctx context.Context, lines files.Lines, settled map[string]Settlement, settleAll bool) (*plan, error) {
	p := &plan{ctx: ctx, lines: lines, settled: settled, settleAll: settleAll, files: map[string]vcs.JoinedFile{}, ours: map[string]bool{}}
	theirs, err := lines.Compare(ctx, lines.Project, lines.Base, lines.Theirs)
	if err != nil {
		return nil, err
	}
	changed, err := lines.Compare(ctx, lines.Project, lines.Base, lines.Ours)
	if err != nil {
		return nil, err
	}
	all, err := lines.FilesAt(ctx, lines.Project, lines.Ours)
	if err != nil {
		return nil, err
	}
	for _, file := range all {
		p.ours[file.Path.String()] = true
	}
	ours := map[string]vcs.Difference{}
	for _, difference := range changed {
		ours[difference.Path.String()] = difference
	}
	for _, difference := range theirs {
		s := sides{path: difference.Path, base: difference.Before, ours: difference.Before, theirs: difference.After}
		if own, both := ours[difference.Path.String()]; both {
			s.ours = own.After
		}
		if err := p.merge(s); err != nil {
			return nil, err
		}
	}
	p.clear(theirs)
	slices.SortFunc(p.conflicts, func(a, b sides) int { return cmp.Compare(a.path.String(), b.path.String()) })
	return p, nil
}

// same reports whether two files have the same content and mode.
func same(a, b *vcs.Blob) bool { return a == b || a != nil && b != nil && *a == *b }

// merge decides one file that they changed.
func (p *plan) merge(s sides) error {
	switch {
	case same(s.ours, s.theirs):
		return nil
	case same(s.ours, s.base):
		p.take(s)
		return nil
	case s.ours == nil:
		p.conflict(s, "was deleted in the project and changed in the repository")
		return nil
	case s.theirs == nil:
		p.conflict(s, "was changed in the project and deleted in the repository")
		return nil
	}
	executable := s.ours.Executable
	if s.base != nil && s.base.Executable == executable {
		executable = s.theirs.Executable
	}
	if s.ours.ID == s.theirs.ID {
		p.files[s.path.String()] = vcs.JoinedFile{Path: s.path, Blob: &vcs.Blob{ID: s.ours.ID, Executable: executable}}
		return nil
	}
	texts, isText, err := p.texts(s)
	if err != nil {
		return err
	}
	if !isText {
		p.conflict(s, "was changed on both sides and is no text, or is larger than 1 MiB")
		return nil
	}
	if s.base == nil {
		p.conflict(s, "is new on both sides, with different contents")
		return nil
	}
	merged, conflicts := merge.Merge(texts[0], texts[1], texts[2])
	if len(conflicts) > 0 {
		p.conflict(s, "was changed in the same places on both sides")
		return nil
	}
	p.files[s.path.String()] = vcs.JoinedFile{Path: s.path, Content: notNil(merged), Executable: executable}
	return nil
}

func notNil(content []byte) []byte { return append([]byte{}, content...) }

// texts returns base, ours and theirs, and whether all of them are texts that can be merged.
func (p *plan) texts(s sides) ([3][]byte, bool, error) {
	var texts [3][]byte
	for i, blob := range []*vcs.Blob{s.base, s.ours, s.theirs} {
		if blob == nil {
			continue
		}
		content, err := p.lines.Content(p.ctx, p.lines.Project, *blob, maxTextBytes)
		if core.IsCode(err, core.CodePayloadTooLarge) {
			return texts, false, nil
		}
		if err != nil {
			return texts, false, err
		}
		if bytes.IndexByte(content, 0) >= 0 {
			return texts, false, nil
		}
		texts[i] = content
	}
	return texts, true, nil
}

// take takes their file.
func (p *plan) take(s sides) {
	p.files[s.path.String()] = vcs.JoinedFile{Path: s.path, Blob: s.theirs}
}

// conflict settles a conflict, or notes it. The file that the service writes stays ours.
func (p *plan) conflict(s sides, message string) {
	settled, found := p.settled[s.path.String()]
	switch {
	case p.settleAll || s.path.String() == core.BackendTypesPath:
	case !found || settled.ID != s.id():
		s.message = message
		p.conflicts = append(p.conflicts, s)
	case settled.Take == TakeTheirs:
		p.take(s)
	case settled.Take == TakeText:
		executable := s.theirs != nil && s.theirs.Executable || s.ours != nil && s.ours.Executable
		p.files[s.path.String()] = vcs.JoinedFile{Path: s.path, Content: notNil([]byte(settled.Text)), Executable: executable}
	}
}

// clear finds new files whose places something else of ours has: a file above them, or a folder.
func (p *plan) clear(theirs []vcs.Difference) {
	occupied := map[string]bool{}
	for name := range p.ours {
		if change, changed := p.files[name]; !changed || change.Blob != nil || change.Content != nil {
			occupied[name] = true
		}
	}
	for _, difference := range theirs {
		name := difference.Path.String()
		change, changed := p.files[name]
		if !changed || change.Blob == nil && change.Content == nil || p.ours[name] {
			continue
		}
		blocking := blockers(occupied, name)
		if len(blocking) == 0 {
			continue
		}
		s := sides{path: difference.Path, theirs: difference.After}
		delete(p.files, name)
		p.conflict(s, "is new in the repository, and something else has its place in the project")
		if _, taken := p.files[name]; !taken {
			continue
		}
		for _, other := range blocking {
			path, err := core.ParsePath(other)
			if err == nil {
				p.files[other] = vcs.JoinedFile{Path: path}
			}
			delete(occupied, other)
		}
	}
}

// blockers returns the files above and below a name.
func blockers(occupied map[string]bool, name string) []string {
	var found []string
	for other := range occupied {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			found = append(found, other)
		}
	}
	return found
}

// joined returns the files of the join, or core.CodeConflict with the conflicts.
func (p *plan) joined() ([]vcs.JoinedFile, error) {
	if len(p.conflicts) > 0 {
		failure := core.Errorf(core.CodeConflict, "%d files were changed in the project and in the repository: settle them, or let the agent do it", len(p.conflicts))
		for _, s := range p.conflicts {
			failure.Conflicts = append(failure.Conflicts, core.MergeConflict{Path: s.path.String(), Message: s.message})
		}
		return nil, failure
	}
	joined := make([]vcs.JoinedFile, 0, len(p.files))
	for _, file := range p.files {
		joined = append(joined, file)
	}
	slices.SortFunc(joined, func(a, b vcs.JoinedFile) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	return joined, nil
}
