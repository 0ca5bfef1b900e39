package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/core"
)

// backup writes everything that cannot be rebuilt into one archive: a data directory with
// which a new installation can start. The service may be running. The database is copied
// as a snapshot and the files afterwards; a file that is newer than its database is
// repaired by a start.
func (c *command) backup(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("backup takes the name of the archive to write, such as atelier.tar.gz")
	}
	partial, err := os.OpenFile(args[0]+".part", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	if err := errors.Join(c.writeArchive(ctx, partial), partial.Sync(), partial.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), args[0]); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s holds %s: keep it as safe as the service itself\n", args[0], c.sayBackup())
	return err
}

// sayBackup reports what an archive contains, and what it does not.
func (c *command) sayBackup() string {
	const held = "projects, their data, sites and the secrets of DATA_DIR"
	if bunstore.IsPostgres(c.settings.DatabaseURL) {
		return held + ", but not the database, which pg_dump copies"
	}
	return "the database, " + held
}

func (c *command) writeArchive(ctx context.Context, w io.Writer) error {
	zipped := gzip.NewWriter(w)
	a := &archive{ctx: ctx, tar: tar.NewWriter(zipped)}
	for _, add := range []func(*archive) error{c.addDatabase, c.addSecrets, c.addFolders, c.addBackends} {
		if err := add(a); err != nil {
			return err
		}
	}
	return errors.Join(a.tar.Close(), zipped.Close())
}

// addDatabase adds a copy of the SQLite file. For another database it reports that the
// operator must copy it.
func (c *command) addDatabase(a *archive) error {
	folder, err := os.MkdirTemp(c.settings.DataDir, ".backup-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	target := filepath.Join(folder, databaseName)
	err = bunstore.CopySQLite(a.ctx, c.settings.DatabaseURL, target)
	if core.IsCode(err, core.CodeConflict) {
		c.log.Warn("the database is not in the archive: copy it with pg_dump BEFORE this command, so that no project lacks its files")
		return nil
	}
	if err != nil {
		return err
	}
	return a.add(wholeDisk{}, target, databaseName)
}

// secretNames are the files of the data directory without which the rest is useless, databaseName
// is the service's own database.
var secretNames = []string{"jwt.secret", "encryption.key", "projects.identity"}

const databaseName = "atelier.db"

// addSecrets adds the files of the data directory without which the rest is useless.
func (c *command) addSecrets(a *archive) error {
	for _, name := range secretNames {
		err := a.add(wholeDisk{}, filepath.Join(c.settings.DataDir, name), name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// addFolders adds projects and sites under their default names.
func (c *command) addFolders(a *archive) error {
	for name, root := range map[string]string{"projects": c.settings.ProjectsRoot, "sites": c.settings.SitesDir} {
		if err := a.addTree(root, name, c.settings.BackendsDir); err != nil {
			return err
		}
	}
	return nil
}

// archive is a tar file that is being written.
type archive struct {
	ctx context.Context
	tar *tar.Writer
}

// addTree adds a folder without one that may be in it. It skips what disappears meanwhile.
func (a *archive) addTree(root, name, without string) error {
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if path == without {
			return fs.SkipDir
		}
		if err == nil {
			err = a.ctx.Err()
		}
		if err == nil {
			var below string
			if below, err = filepath.Rel(root, path); err == nil {
				err = a.add(wholeDisk{}, path, filepath.Join(name, below))
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// tree is where files are read: the whole disk, or an *os.Root.
type tree interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	Open(name string) (*os.File, error)
}

// wholeDisk has all files, by their paths.
type wholeDisk struct{}

// Lstat implements tree.
func (wholeDisk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Readlink implements tree.
func (wholeDisk) Readlink(name string) (string, error) { return os.Readlink(name) }

// Open implements tree.
func (wholeDisk) Open(name string) (*os.File, error) { return os.Open(name) }

// add adds one file, folder or link; a project consists of nothing else.
func (a *archive) add(from tree, path, name string) error {
	info, err := from.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		return a.addFile(from, path, name)
	case info.IsDir():
		return a.addHeader(info, "", name)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := from.Readlink(path)
		if err != nil {
			return err
		}
		return a.addHeader(info, target, name)
	}
	return nil
}

func (a *archive) addHeader(info fs.FileInfo, target, name string) error {
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	header.Name = filepath.ToSlash(name)
	if info.IsDir() {
		header.Name += "/"
	}
	return a.tar.WriteHeader(header)
}

// addFile adds a file as it is when it is opened: the service replaces files and does not
// write into them. If a command of the agent truncates it meanwhile, the rest is filled
// with zeros up to the size in its header.
func (a *archive) addFile(from tree, path, name string) error {
	file, err := from.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := a.addHeader(info, "", name); err != nil {
		return err
	}
	_, err = io.CopyN(a.tar, io.MultiReader(file, zeros{}), info.Size())
	return err
}

// zeros is an endless file of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
