package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
)

// BackendsDir is the folder of the data of projects' backends below the data directory.
const BackendsDir = "backends"

// addBackends adds the data of projects' backends: each database as of one moment, and
// their files and snapshots afterwards. A file that is deleted meanwhile may be missing.
func (a *writer) addBackends() error {
	return a.scratch(func(folder string) error {
		temporary := filepath.Join(folder, "copy.db")
		if !a.settings.Exclusive() {
			return a.addShared(a.settings.BackendsDir, temporary)
		}
		return a.addOwn(filepath.Join(a.settings.DataDir, BackendsDir), temporary)
	})
}

// addOwn adds the data of a process alone.
func (a *writer) addOwn(root, temporary string) error {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || a.ctx.Err() != nil {
			return errors.Join(err, a.ctx.Err())
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && IsScratch(entry.Name()):
			return fs.SkipDir
		case IsDatabase(below):
			return a.addCopy(path, temporary, filepath.Join(BackendsDir, below))
		case isJournal(entry.Name()):
			return nil // the copy has what it holds
		}
		err = a.add(wholeDisk{}, path, filepath.Join(BackendsDir, below))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// addShared adds the data of a service of several processes, as that of one alone would be: it is
// for either to start with.
func (a *writer) addShared(shared, temporary string) error {
	if err := a.add(wholeDisk{}, shared, BackendsDir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return EachShared(shared, func(env *os.Root, project core.ID, name core.DataEnv) error {
		return a.addEnvironment(env, temporary, filepath.Join(BackendsDir, string(project), string(name)))
	})
}

// EachShared calls work for every environment in the directory of a service of several processes.
func EachShared(shared string, work func(env *os.Root, project core.ID, name core.DataEnv) error) error {
	projects, err := os.ReadDir(shared)
	if err != nil {
		return err
	}
	for _, entry := range projects {
		project, err := core.ParseID(entry.Name())
		if err != nil {
			continue
		}
		for _, name := range []core.DataEnv{core.DataTest, core.DataLive} {
			env, err := pocketbase.OpenShared(shared, project, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = errors.Join(work(env, project, name), env.Close())
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addEnvironment adds an environment that another process may hold.
func (a *writer) addEnvironment(env *os.Root, temporary, name string) error {
	return fs.WalkDir(env.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = a.ctx.Err()
		}
		if err == nil {
			switch {
			case entry.IsDir() && IsScratch(entry.Name()):
				return fs.SkipDir
			case path == "data/data.db":
				if err = pocketbase.CopyShared(env, temporary); err == nil {
					err = errors.Join(a.add(wholeDisk{}, temporary, filepath.Join(name, path)), os.Remove(temporary))
				}
			case filepath.Dir(path) == "data" && !entry.IsDir():
				return nil // logs, which the copy has
			default:
				err = a.add(env, path, filepath.Join(name, path))
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		return err
	})
}

// addCopy adds a copy of a database as of one moment.
func (a *writer) addCopy(database, temporary, name string) error {
	if err := bunstore.CopySQLite(a.ctx, "sqlite://"+database, temporary); err != nil {
		if _, gone := os.Stat(database); errors.Is(gone, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return errors.Join(a.add(wholeDisk{}, temporary, name), os.Remove(temporary))
}

// IsDatabase reports whether a path below the folder of backends is a database in use:
// <project>/<environment>/data/*.db. Those of snapshots do not change.
func IsDatabase(below string) bool {
	parts := strings.Split(filepath.ToSlash(below), "/")
	return len(parts) == 4 && parts[2] == "data" && strings.HasSuffix(parts[3], ".db")
}

// isJournal reports whether a file belongs to an open database.
func isJournal(name string) bool {
	return strings.HasSuffix(name, ".db-wal") || strings.HasSuffix(name, ".db-shm") || strings.HasSuffix(name, ".db-journal")
}

// IsScratch reports whether a folder holds nothing of the data: copies that are attacked,
// what is being made or exported, and temporary files.
func IsScratch(name string) bool {
	return name == "copies" || name == "tmp" || strings.HasPrefix(name, "export-") || strings.HasSuffix(name, ".new") || strings.HasSuffix(name, ".copy")
}
