package versions

import (
	"bytes"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// The bounds of a detail, in this order: the size of its patch, the number of files
// that it lists, and the sizes up to which a file's lines are compared and a file is
// read at all. The last is how much is read for one patch. All but the second are in
// bytes.
const (
	MaxPatchBytes    = 2 << 20
	MaxShownFiles    = 5000
	maxComparedBytes = 1 << 20
	maxReadBytes     = 32 << 20
	maxReadInAll     = 64 << 20
)

// Detail is a version with its differences from the one before, or from the one that Compare names;
// the first is compared with no files.
type Detail struct {
	Entry
	// Patch is a unified diff as git writes it, without renames, which "git apply"
	// takes. Files that are not UTF-8 text are only named in it.
	Patch string `json:"patch"`
	// Files are the changed files, sorted by path.
	Files []ChangedFile `json:"files"`
	// Truncated says that the patch or Files lacks files.
	Truncated bool `json:"truncated"`
}

// ChangedFile is one file that a version changed. Additions and Deletions count lines;
// they are nil for a file that is not text, and for one that the patch lacks.
type ChangedFile struct {
	Path      core.ProjectPath `json:"path"`
	Action    core.FileAction  `json:"action"`
	Additions *int             `json:"additions"`
	Deletions *int             `json:"deletions"`
}

// Show returns a version with its patch. Readers of a public project may call it. It
// returns core.CodeNotFound if there is no such version.
func (s *Service) Show(ctx context.Context, by core.Actor, project core.ID, version string) (Detail, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionRead, project); err != nil {
		return Detail{}, err
	}
	shown, differences, err := s.history.Differences(ctx, project, version)
	if err != nil {
		return Detail{}, err
	}
	return s.detail(ctx, by, project, shown, differences)
}

// Compare returns a version with its differences from another one, which may be older or newer.
// Readers of a public project may call it. It returns core.CodeNotFound if there is no such version.
func (s *Service) Compare(ctx context.Context, by core.Actor, project core.ID, from, to string) (Detail, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionRead, project); err != nil {
		return Detail{}, err
	}
	base, err := s.history.Version(ctx, project, from)
	if err != nil {
		return Detail{}, err
	}
	shown, err := s.history.Version(ctx, project, to)
	if err != nil {
		return Detail{}, err
	}
	differences, err := s.history.Compare(ctx, project, base.ID, shown.ID)
	if err != nil {
		return Detail{}, err
	}
	return s.detail(ctx, by, project, shown, differences)
}

func (s *Service) detail(ctx context.Context, by core.Actor, project core.ID, shown core.Version, differences []vcs.Difference) (Detail, error) {
	described, err := s.Describe(ctx, by, project, []core.Version{shown})
	if err != nil {
		return Detail{}, err
	}
	showing := detailBuilder{service: s, project: project, detail: Detail{Entry: described[0], Files: []ChangedFile{}}}
	for _, difference := range differences {
		if len(showing.detail.Files) == MaxShownFiles {
			showing.detail.Truncated = true
			break
		}
		if err := showing.add(ctx, difference); err != nil {
			return Detail{}, err
		}
	}
	showing.detail.Patch = showing.patch.String()
	return showing.detail, nil
}

// detailBuilder builds a detail.
type detailBuilder struct {
	service *Service
	project core.ID
	detail  Detail
	patch   bytes.Buffer
	read    int64
}

// add lists a file and, within the bounds, adds it to the patch: whole, or not at all,
// so that a truncated patch can still be applied.
func (s *detailBuilder) add(ctx context.Context, difference vcs.Difference) error {
	listed := ChangedFile{Path: difference.Path, Action: core.FileModified}
	switch {
	case difference.Before == nil:
		listed.Action = core.FileCreated
	case difference.After == nil:
		listed.Action = core.FileDeleted
	}
	file := shownFile{Difference: difference}
	known, err := s.load(ctx, &file)
	if err != nil {
		return err
	}
	if known {
		listed.Additions, listed.Deletions = s.write(file)
	} else {
		s.detail.Truncated = true
	}
	s.detail.Files = append(s.detail.Files, listed)
	return nil
}

// write adds a file to the patch, unless the patch would be too long. It counts no
// lines for a file that is not text.
func (s *detailBuilder) write(file shownFile) (additions, deletions *int) {
	if !file.isBinary() && max(len(file.before), len(file.after)) > maxComparedBytes {
		s.detail.Truncated = true
		return nil, nil
	}
	end := s.patch.Len()
	came, went := file.writeTo(&s.patch)
	if s.patch.Len() > MaxPatchBytes {
		s.patch.Truncate(end)
		s.detail.Truncated = true
	}
	if file.isBinary() {
		return nil, nil
	}
	return &came, &went
}

// load reads both contents of a file. known is false if the file is too large, or
// exceeds what is left to read for one patch.
func (s *detailBuilder) load(ctx context.Context, file *shownFile) (known bool, err error) {
	if file.Before != nil && file.After != nil && file.Before.ID == file.After.ID {
		return true, nil
	}
	if file.before, err = s.content(ctx, file.Before); err == nil {
		file.after, err = s.content(ctx, file.After)
	}
	if core.IsCode(err, core.CodePayloadTooLarge) {
		return false, nil
	}
	return err == nil, err
}

func (s *detailBuilder) content(ctx context.Context, blob *vcs.Blob) ([]byte, error) {
	if blob == nil {
		return nil, nil
	}
	content, err := s.service.history.Content(ctx, s.project, *blob, min(maxReadBytes, maxReadInAll-s.read))
	s.read += int64(len(content))
	return content, err
}
