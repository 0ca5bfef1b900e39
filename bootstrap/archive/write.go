// Package archive writes everything of an installation that cannot be rebuilt into one file, checks
// such files, and restores them.
//
// An archive is a tar file, compressed with gzip and, with a key of the operator's, encrypted with
// age. It holds a data directory with which a new installation can start:
//
//	atelier.db, or postgres/   the database as of one moment
//	jwt.secret, encryption.key, projects.identity
//	projects/, sites/          files, as of when they are read
//	backends/                  the data of applications, each database as of one moment
//
// The service may be running. The database is copied first: a file that is newer than its database
// is repaired by a start.
//
// adapters/age owns the encryption, adapters/bunstore the copies of databases.
package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/age"
	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Archive writes and reads archives of the installation that its settings name. Many goroutines may
// use it.
type Archive struct {
	settings settings.Settings
	log      *slog.Logger
}

// New returns what writes and reads the archives of an installation.
func New(conf settings.Settings, log *slog.Logger) *Archive { return &Archive{conf, log} }

// Suffix ends the names of archives: ".tar.gz", or ".tar.gz.age" if they are encrypted.
func (a *Archive) Suffix() string {
	if a.settings.Backup.Key.IsZero() {
		return ".tar.gz"
	}
	return ".tar.gz" + age.Suffix
}

// Write writes an archive, and returns the SHA-256 of what is inside, in hexadecimal: Check returns
// the same for an archive that is whole.
func (a *Archive) Write(ctx context.Context, w io.Writer) (digest string, err error) {
	sealed, err := a.settings.Backup.Key.Encrypt(w)
	if err != nil {
		return "", err
	}
	buffered := bufio.NewWriterSize(sealed, 1<<20)
	zipped := gzip.NewWriter(buffered)
	sum := sha256.New()
	making := &writer{Archive: a, ctx: ctx, tar: tar.NewWriter(io.MultiWriter(zipped, sum))}
	for _, add := range []func() error{making.addDatabase, making.addSecrets, making.addFolders, making.addBackends} {
		if err := add(); err != nil {
			return "", err
		}
	}
	err = errors.Join(making.tar.Close(), zipped.Close(), buffered.Flush(), sealed.Close())
	return hex.EncodeToString(sum.Sum(nil)), err
}

// writer is an archive that is being written.
type writer struct {
	*Archive
	ctx context.Context
	tar *tar.Writer
}

// scratch calls work with a temporary folder in the data directory.
func (a *Archive) scratch(work func(folder string) error) error {
	folder, err := os.MkdirTemp(a.settings.DataDir, ".backup-*")
	if err != nil {
		return err
	}
	return errors.Join(work(folder), os.RemoveAll(folder))
}

// addDatabase adds a copy of the database.
func (a *writer) addDatabase() error {
	return a.scratch(func(folder string) error {
		if !bunstore.IsPostgres(a.settings.DatabaseURL) {
			target := filepath.Join(folder, databaseName)
			if err := bunstore.CopySQLite(a.ctx, a.settings.DatabaseURL, target); err != nil {
				return err
			}
			return a.add(wholeDisk{}, target, databaseName)
		}
		target := filepath.Join(folder, postgresDir)
		if err := bunstore.DumpPostgres(a.ctx, a.settings.DatabaseURL, target); err != nil {
			return err
		}
		return a.addTree(target, postgresDir, "")
	})
}

// secretNames are the files of the data directory without which the rest is useless.
var secretNames = []string{"jwt.secret", "encryption.key", "projects.identity"}

// databaseName is the service's own database if that is SQLite, postgresDir the folder of its
// tables if it is PostgreSQL.
const (
	databaseName = "atelier.db"
	postgresDir  = "postgres"
)

// addSecrets adds the files of the data directory without which the rest is useless.
func (a *writer) addSecrets() error {
	for _, name := range secretNames {
		err := a.add(wholeDisk{}, filepath.Join(a.settings.DataDir, name), name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// addFolders adds projects and sites under their default names.
func (a *writer) addFolders() error {
	for name, root := range map[string]string{"projects": a.settings.ProjectsRoot, "sites": a.settings.SitesDir} {
		if err := a.addTree(root, name, a.settings.BackendsDir); err != nil {
			return err
		}
	}
	return nil
}

// addTree adds a folder without one that may be in it. It skips what disappears meanwhile.
func (a *writer) addTree(root, name, without string) error {
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
func (a *writer) add(from tree, path, name string) error {
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

func (a *writer) addHeader(info fs.FileInfo, target, name string) error {
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
func (a *writer) addFile(from tree, path, name string) error {
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
