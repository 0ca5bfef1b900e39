package looks

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/toolchain"
)

const (
	// buildLimit bounds the making of pages, which goes on when its visitor leaves.
	buildLimit = toolchain.MaxInstallTime + toolchain.MaxBuildTime + time.Minute
	// maxVersionBytes bounds what is read of a version.
	maxVersionBytes = 64 << 20
)

// Name returns a name of the state that a look shows, which changes with it.
func (s *Service) Name(ctx context.Context, look Look) (string, error) {
	if look.Kind != core.LinkShare {
		return string(look.Kind) + " " + look.Target, nil
	}
	state, err := s.deps.Store.Tables().Files.State(ctx, look.Project)
	return "revision " + strconv.FormatInt(state.Revision, 10), err
}

// Make makes the pages of a share or a version. There are none if the sources do not build. The
// diagnostics of the build stay here, because they quote sources.
func (s *Service) Make(ctx context.Context, look Look) ([]build.File, error) {
	work, cancel := context.WithTimeout(fair.WithTenant(context.WithoutCancel(ctx), look.Workspace), buildLimit)
	defer cancel()
	if look.Kind == core.LinkShare {
		made, err := s.deps.Maker.Make(work, look.Project, build.ModeSite)
		return made.Files, err
	}
	sources, err := s.sourcesOf(work, look.Project, look.Target)
	if err != nil {
		return nil, err
	}
	made, err := s.deps.Maker.MakeFrom(work, look.Project, sources)
	return made.Files, err
}

// sourcesOf returns the files of a version, in memory.
func (s *Service) sourcesOf(ctx context.Context, project core.ID, version string) (fs.FS, error) {
	listed, err := s.deps.History.FilesAt(ctx, project, version)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	left := int64(maxVersionBytes)
	for _, file := range listed {
		if file.Blob == nil {
			continue
		}
		content, err := s.deps.History.Content(ctx, project, *file.Blob, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(content))
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: file.Path.String(), Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
}
