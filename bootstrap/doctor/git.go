package doctor

import (
	"context"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// checkGit makes a version on the disk of the projects, beside them, and reads it. The
// git program is not needed.
func (d doctor) checkGit(ctx context.Context) (string, error) {
	root, err := os.MkdirTemp(d.settings.ProjectsRoot, ".doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(root)
	trees, err := disk.NewTrees(root)
	if err != nil {
		return "", err
	}
	defer trees.Close()
	repositories, err := git.NewRepositories(root)
	if err != nil {
		return "", err
	}
	if err := makeVersion(ctx, trees, repositories); err != nil {
		return "", err
	}
	return "built in, versions can be made and read in " + d.settings.ProjectsRoot, nil
}

func makeVersion(ctx context.Context, trees *disk.Trees, repositories *git.Repositories) error {
	project := core.NewID()
	if err := trees.Create(ctx, project); err != nil {
		return err
	}
	if err := repositories.Init(ctx, project); err != nil {
		return err
	}
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath("probe.txt"), Content: []byte("probe\n")}
	if err := repositories.Stage(ctx, project, []core.FileChange{change}); err != nil {
		return err
	}
	author := core.Author{Kind: core.AuthorUser, Name: "doctor"}
	made, _, err := repositories.Commit(ctx, project, vcs.Commit{Message: "probe", Author: author, At: core.At(time.Now())})
	if err != nil {
		return err
	}
	_, _, err = repositories.Changes(ctx, project, made.ID)
	return err
}
