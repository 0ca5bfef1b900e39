package directsave

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/markup"
)

// Bounds of one call, in characters.
const (
	MaxPatches       = 100
	MaxSelectorChars = 1000
	MaxPropertyChars = 100
	MaxValueChars    = 10_000
	MaxVariantChars  = 100
)

// Deps are the dependencies of the service.
type Deps struct {
	Gate    *access.Gate
	Writer  files.Writer
	Patcher markup.Patcher
	// Sources say how a project writes classes.
	Sources builds.Sources
	// MaxFileBytes is the size to which a file may grow.
	MaxFileBytes files.MaxFileBytes
}

// Service patches files for people.
type Service struct{ deps Deps }

// New returns the service.
func New(deps Deps) *Service { return &Service{deps} }

// Patch sets one value.
type Patch = markup.Patch

// SaveResult is the result for a file.
type SaveResult struct {
	File core.FileEntry `json:"file"`
	// Applied is the number of patches; all were applied.
	Applied int `json:"applied"`
	// Diff is a unified diff of the change, cut to MaxDiffBytes; "" if the file
	// already had the values.
	Diff string `json:"diff"`
}

// Save applies all patches to a file, or none. It writes through the pipeline like
// all writes, and no concurrent write of others is lost.
//
// The errors are those of access.Gate.Project and of markup.Patcher.Patch,
// CodeNotFound if there is no such file, CodeValidationFailed for patches out of
// bounds, CodePayloadTooLarge for a file that would grow too large, and
// CodeUnavailable.
func (s *Service) Save(ctx context.Context, by core.Actor, at core.FileAt, patches []Patch) (SaveResult, error) {
	user, workspace, err := s.deps.Gate.Person(ctx, by, core.ActionFileWrite, at.Project)
	if err != nil {
		return SaveResult{}, err
	}
	ctx = fair.WithTenant(ctx, workspace)
	if err := check(patches); err != nil {
		return SaveResult{}, err
	}
	if patches, err = s.inDialect(ctx, at.Project, patches); err != nil {
		return SaveResult{}, err
	}
	saved := SaveResult{Applied: len(patches)}
	result, err := s.deps.Writer.As(s.deps.Gate, by, core.ActionFileWrite).Rewrite(ctx, files.AuthorOf(user), at, markup.MaxBytes, func(content []byte) ([]byte, bool, error) {
		edits, err := s.deps.Patcher.Patch(ctx, at.Path.String(), content, patches)
		if err != nil || len(edits) == 0 {
			return nil, false, err
		}
		patched := markup.Splice(content, edits)
		if int64(len(patched)) > int64(s.deps.MaxFileBytes) {
			return nil, false, core.Errorf(core.CodePayloadTooLarge, "%s would be larger than %d bytes", at.Path, s.deps.MaxFileBytes)
		}
		saved.Diff = diff(at.Path, string(content), edits)
		return patched, true, nil
	})
	if err != nil {
		return SaveResult{}, err
	}
	saved.File = *result.Entry
	return saved, nil
}

// Outcome is the result of trying one patch: what its error says, all zero if it can be applied.
type Outcome struct {
	Error   core.Code
	Reason  core.Reason
	Message core.Phrase
}

// MaxTried bounds the patches of one Try.
const MaxTried = 20

// Try reports for each patch by itself whether Save would apply it. It changes nothing, and
// its errors are those of Save, except for CodeSelectorNotFound and CodeValidationFailed of
// a single patch.
func (s *Service) Try(ctx context.Context, by core.Actor, at core.FileAt, patches []Patch) ([]Outcome, error) {
	user, workspace, err := s.deps.Gate.Person(ctx, by, core.ActionFileWrite, at.Project)
	if err != nil {
		return nil, err
	}
	if len(patches) > MaxTried {
		return nil, core.Errorf(core.CodeValidationFailed, "patches must have at most %d elements with dryRun", MaxTried)
	}
	if err := check(patches); err != nil {
		return nil, err
	}
	ctx = fair.WithTenant(ctx, workspace)
	if patches, err = s.inDialect(ctx, at.Project, patches); err != nil {
		return nil, err
	}
	var outcomes []Outcome
	_, err = s.deps.Writer.As(s.deps.Gate, by, core.ActionFileWrite).Rewrite(ctx, files.AuthorOf(user), at, markup.MaxBytes, func(content []byte) ([]byte, bool, error) {
		outcomes = nil
		for _, patch := range patches {
			outcome, err := s.try(ctx, at.Path.String(), content, patch)
			if err != nil {
				return nil, false, err
			}
			outcomes = append(outcomes, outcome)
		}
		return nil, false, nil
	})
	return outcomes, err
}

func (s *Service) try(ctx context.Context, name string, content []byte, patch Patch) (Outcome, error) {
	_, err := s.deps.Patcher.Patch(ctx, name, content, []Patch{patch})
	var known *core.Error
	if errors.As(err, &known) && (known.Code == core.CodeSelectorNotFound || known.Code == core.CodeValidationFailed) {
		return Outcome{known.Code, known.Reason, known.Phrase()}, nil
	}
	return Outcome{}, err
}

// inDialect returns the patches with the dialect of the project's classes, whatever they said.
func (s *Service) inDialect(ctx context.Context, project core.ID, patches []Patch) ([]Patch, error) {
	var dialect markup.Dialect
	if slices.ContainsFunc(patches, func(p Patch) bool { return p.As == markup.AsClass }) {
		files, err := s.deps.Sources.View(ctx, project)
		if err != nil {
			return nil, err
		}
		dialect = dialectOf(files)
	}
	patches = slices.Clone(patches)
	for i := range patches {
		patches[i].Dialect = dialect
	}
	return patches, nil
}

// check refuses patches out of bounds.
func check(patches []Patch) error {
	if len(patches) == 0 || len(patches) > MaxPatches {
		return core.Errorf(core.CodeValidationFailed, "patches must have 1 to %d elements", MaxPatches)
	}
	for i, patch := range patches {
		for _, member := range []struct {
			name, text string
			most       int
		}{{"selector", patch.Selector, MaxSelectorChars}, {"property", patch.Property, MaxPropertyChars}, {"value", patch.Value, MaxValueChars}, {"variant", patch.Variant, MaxVariantChars}, {"shown", patch.Shown, MaxValueChars}, {"target", patch.Target, MaxSelectorChars}} {
			empty := member.text == "" && (member.name == "selector" && patch.Shown == "" || member.name == "property" && patch.Action == "")
			if empty || utf8.RuneCountInString(member.text) > member.most {
				return core.Errorf(core.CodeValidationFailed, "patches[%d]: %s must have at most %d characters, and selector and property at least one", i, member.name, member.most)
			}
		}
	}
	return nil
}
