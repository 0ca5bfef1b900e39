package checks

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// checkFile is the file of a check.
type checkFile struct {
	// name is the check's, or the file's if it cannot be the name of a check.
	name  string
	path  core.ProjectPath
	check core.Check
	// wrong says what is wrong with the file.
	wrong *core.Diagnostic
}

// all reads the files of a project's checks by name, at most core.MaxChecks. Files that are no
// checks are among them, with what is wrong.
func (s *Service) all(ctx context.Context, project core.ID) ([]checkFile, error) {
	listing, err := s.deps.Files.List(ctx, project)
	if err != nil {
		return nil, err
	}
	var found []checkFile
	for _, entry := range listing.Entries {
		if entry.Path.Dir().String() == core.CheckFolder && entry.Path.Ext() == ".json" {
			name, ok := core.CheckNameOf(entry.Path)
			found = append(found, checkFile{name: cmp.Or(name, entry.Path.Base()), path: entry.Path})
			if !ok {
				_, err := core.ParseCheckName(name)
				found[len(found)-1].wrong = diagnosticOf(err, entry.Path)
			}
		}
	}
	slices.SortFunc(found, func(a, b checkFile) int { return cmp.Compare(a.name, b.name) })
	found = found[:min(len(found), core.MaxChecks)]
	for i := range found {
		if found[i].wrong != nil {
			continue
		}
		if err := s.read(ctx, project, &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// read reads the file of a check. One that has gone meanwhile is wrong.
func (s *Service) read(ctx context.Context, project core.ID, into *checkFile) error {
	file, err := s.deps.Files.Open(ctx, core.FileAt{Project: project, Path: into.path})
	if core.IsCode(err, core.CodeNotFound) {
		into.wrong = diagnosticOf(err, into.path)
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, core.MaxCheckBytes+1))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the file %s could not be read", into.path)
	}
	into.check, err = core.ParseCheck(text)
	into.wrong = diagnosticOf(err, into.path)
	return nil
}

// diagnosticOf returns what an error says about a file, nil without an error.
func diagnosticOf(err error, path core.ProjectPath) *core.Diagnostic {
	if err == nil {
		return nil
	}
	wrong := core.Diagnostic{Line: 1, Column: 1, Message: messageOf(err)}
	var known *core.Error
	if errors.As(err, &known) && len(known.Diagnostics) > 0 {
		wrong = known.Diagnostics[0]
	}
	wrong.Path = path.String()
	return &wrong
}

// messageOf returns what an error says to people.
func messageOf(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "it cannot be played at the moment"
}
