// Package directsave carries out the patches of the visual editor: single values
// in the sources, without a model.
package directsave

import (
	"context"
	"io"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of one call, in characters.
const (
	MaxPatches       = 100
	MaxSelectorChars = 1000
	MaxPropertyChars = 100
	MaxValueChars    = 10_000
)

// attempts bounds how often a file is patched anew because somebody else wrote it
// in between.
const attempts = 10

// Service patches files for people.
type Service struct {
	gate     *access.Gate
	pipeline *files.Pipeline
	store    storage.Store
	patcher  markup.Patcher
	limit    files.MaxFileBytes
}

// New returns a service whose files grow to at most limit bytes.
func New(gate *access.Gate, pipeline *files.Pipeline, store storage.Store, patcher markup.Patcher, limit files.MaxFileBytes) *Service {
	return &Service{gate: gate, pipeline: pipeline, store: store, patcher: patcher, limit: limit}
}

// Patch sets one value.
type Patch = markup.Patch

// Saved is what became of a file.
type Saved struct {
	File core.FileEntry `json:"file"`
	// Applied is the number of patches, all of which were applied.
	Applied int `json:"applied"`
	// Diff is a unified diff of the change, "" when the file had the values already;
	// longer ones than MaxDiffBytes are cut.
	Diff string `json:"diff"`
}

// Save applies all patches to a file, or none. The write goes the way of all
// writes; one that somebody else makes at the same time is kept, because the
// patches are then applied to what they wrote.
//
// The errors are those of access.Gate.Project, of markup.Patcher.Patch, and
// CodeNotFound for a file that is not there, CodeValidationFailed for patches out
// of bounds, CodePayloadTooLarge for a file that would grow too large,
// CodeConflict when others write the file all the time, CodeUnavailable.
func (s *Service) Save(ctx context.Context, by core.Actor, at core.FileAt, patches []Patch) (Saved, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionFileWrite, at.Project); err != nil {
		return Saved{}, err
	}
	if err := check(patches); err != nil {
		return Saved{}, err
	}
	user, err := s.store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return Saved{}, err
	}
	for range attempts {
		saved, err := s.try(ctx, files.AuthorOf(user), at, patches)
		if !core.IsCode(err, core.CodePreconditionFailed) {
			return saved, err
		}
	}
	return Saved{}, core.Errorf(core.CodeConflict, "%s is being written by others", at.Path)
}

// try patches the file as it is now. CodePreconditionFailed means that it changed
// before it was written.
func (s *Service) try(ctx context.Context, by core.Author, at core.FileAt, patches []Patch) (Saved, error) {
	content, entry, err := s.read(ctx, at)
	if err != nil {
		return Saved{}, err
	}
	edits, err := s.patcher.Patch(ctx, at.Path.String(), content, patches)
	if err != nil {
		return Saved{}, err
	}
	if len(edits) == 0 {
		return Saved{File: entry, Applied: len(patches)}, nil
	}
	patched := markup.Splice(content, edits)
	if int64(len(patched)) > int64(s.limit) {
		return Saved{}, core.Errorf(core.CodePayloadTooLarge, "%s would be larger than %d bytes", at.Path, s.limit)
	}
	change := core.FileChange{Op: core.OpWrite, Path: at.Path, Content: patched}
	results, err := s.pipeline.Apply(ctx, at.Project, by, []core.FileChange{change}, files.IfMatch(files.ETag(content)))
	if err != nil {
		return Saved{}, err
	}
	if err := results[0].Err; err != nil {
		return Saved{}, err
	}
	return Saved{File: *results[0].Entry, Applied: len(patches), Diff: diff(at.Path, string(content), edits)}, nil
}

// read returns a file's content, as far as a patcher takes any.
func (s *Service) read(ctx context.Context, at core.FileAt) ([]byte, core.FileEntry, error) {
	file, err := s.pipeline.Open(ctx, at)
	if err != nil {
		return nil, core.FileEntry{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, markup.MaxBytes+1))
	if err != nil {
		return nil, core.FileEntry{}, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", at.Path)
	}
	return content, file.Entry, nil
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
		}{{"selector", patch.Selector, MaxSelectorChars}, {"property", patch.Property, MaxPropertyChars}, {"value", patch.Value, MaxValueChars}} {
			empty := member.text == "" && member.name != "value"
			if empty || utf8.RuneCountInString(member.text) > member.most {
				return core.Errorf(core.CodeValidationFailed, "patches[%d]: %s must have at most %d characters, and selector and property at least one", i, member.name, member.most)
			}
		}
	}
	return nil
}
