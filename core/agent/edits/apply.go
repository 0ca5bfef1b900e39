package edits

import (
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Edit replaces OldText by NewText: the one place that has it, or all of them.
type Edit struct {
	OldText, NewText string
	All              bool
}

// Misfit begins every refusal of an edit whose oldText does not fit.
const Misfit = "oldText does not fit"

// maxResultBytes bounds what an edit for all places may make of a file.
const maxResultBytes = 4 << 20

// Apply returns a file's content after edits, each made on what the ones before it left. It is
// all or nothing. The loosest fitness of the edits is returned.
func Apply(path core.ProjectPath, content string, edits []Edit) (string, Fitness, error) {
	after, loosest := content, FitsExactly
	for i, edit := range edits {
		next, how, refusal := applyOne(path, after, edit)
		switch {
		case refusal != nil && len(edits) > 1:
			return "", how, core.Errorf(refusal.Code, "edit %d of %d: %s\nNone of the edits was made", i+1, len(edits), refusal.Message)
		case refusal != nil:
			return "", how, refusal
		}
		if how != FitsExactly {
			loosest = how
		}
		after = next
	}
	if after == content {
		return "", loosest, core.Errorf(core.CodeValidationFailed, "the edits change nothing: together they leave %s as it was", path)
	}
	return after, loosest, nil
}

// applyOne makes one edit.
func applyOne(path core.ProjectPath, content string, edit Edit) (string, Fitness, *core.Error) {
	most := maxLandings
	if edit.All {
		most = min(maxPlaces, max(maxLandings, maxResultBytes/max(1, len(edit.NewText))))
	}
	found, how := findLandings(content, edit.OldText, edit.NewText, most)
	switch {
	case edit.All && len(found) == most:
		return "", how, core.Errorf(core.CodeValidationFailed, "oldText occurs in %s in too many places to replace all: include more of the text around it", path)
	case len(found) == 0 && isMade(content, edit):
		return "", how, core.Errorf(core.CodeValidationFailed, Misfit+": it does not occur in %s, and newText does, so the edit seems to be made already. Read the file before you change it again", path)
	case len(found) != 1 && (len(found) == 0 || !edit.All):
		return "", how, missError(path, content, edit.OldText, found)
	}
	var out strings.Builder
	done := 0
	for _, at := range found {
		if at.start < done {
			// It overlaps the place before, which is replaced already.
			continue
		}
		out.WriteString(content[done:at.start])
		out.WriteString(at.text)
		done = at.end
	}
	out.WriteString(content[done:])
	if out.String() == content {
		return "", how, core.Errorf(core.CodeValidationFailed, "the edit changes nothing: %s already contains newText", path)
	}
	return out.String(), how, nil
}

// leastMade is how many bytes newText must have to be evidence that an edit was made.
const leastMade = 16

// isMade reports whether the file has the text of an edit whose oldText it lacks, in exactly one place.
func isMade(content string, edit Edit) bool {
	if len(strings.TrimSpace(edit.NewText)) < leastMade {
		return false
	}
	there, _ := findLandings(content, edit.NewText, edit.NewText, maxLandings)
	return len(there) == 1
}
