package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/datadir"
)

// Restore unpacks an archive to where the settings say that everything is, which must be empty, and
// tells out how far it is. All of it is unpacked beside its place and checked first: an archive that
// is damaged or cut off leaves nothing.
func (a *Archive) Restore(ctx context.Context, from io.Reader, out io.Writer) error {
	if err := os.MkdirAll(a.settings.DataDir, 0o700); err != nil {
		return err
	}
	unlock, err := datadir.Lock(a.settings.DataDir)
	if err != nil {
		return err
	}
	defer unlock()
	r := newRestoration(a, out)
	if err := r.checkEmpty(ctx); err != nil {
		return err
	}
	defer r.discard()
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return r.unpack(ctx, from) }, r.verify, r.place,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "restored %d files, %d MiB: %s\n", r.files, r.bytes>>20, r.next())
	return err
}

// errOtherDatabase refuses an archive of the other kind of database.
var errOtherDatabase = errors.New("the archive is of a service with another kind of database than DATABASE_URL names: restore SQLite to SQLite, and PostgreSQL to PostgreSQL")

// stagedName ends the names of what is not yet in its place.
const stagedName = ".restoring"

// restoration is an archive that is being unpacked.
type restoration struct {
	*Archive
	out io.Writer
	// folders and single are the places of the archive's folders and files, by their names in it.
	folders, single map[string]string
	// database is the place of the service's own database, "" if it is not an SQLite file.
	database string
	seen     map[string]bool
	// modes are those of unpacked folders, which are set when they are full.
	modes []folderMode

	files, bytes int64
	told         time.Time
}

type folderMode struct {
	path string
	mode os.FileMode
}

func newRestoration(a *Archive, out io.Writer) *restoration {
	in := func(name string) string { return filepath.Join(a.settings.DataDir, name) }
	backends := in(BackendsDir)
	if !a.settings.Exclusive() {
		backends = a.settings.BackendsDir
	}
	r := &restoration{
		Archive: a,
		out:     out,
		folders: map[string]string{"projects": a.settings.ProjectsRoot, "sites": a.settings.SitesDir, BackendsDir: backends},
		single:  map[string]string{},
		seen:    map[string]bool{},
		told:    time.Now(),
	}
	for _, name := range secretNames {
		r.single[name] = in(name)
	}
	if path, isFile := strings.CutPrefix(a.settings.DatabaseURL, "sqlite://"); isFile {
		r.database, r.single[databaseName] = path, path
	} else {
		r.folders[postgresDir] = in(postgresDir)
	}
	return r
}

// checkEmpty refuses places that hold anything.
func (r *restoration) checkEmpty(ctx context.Context) error {
	folders := map[string][]string{r.settings.DataDir: {"lock", "lost+found"}}
	for _, place := range r.folders {
		folders[place] = []string{"lost+found"}
	}
	for _, place := range r.folders {
		// One may be in another.
		if above := filepath.Dir(place); folders[above] != nil {
			folders[above] = append(folders[above], filepath.Base(place))
		}
	}
	for folder, but := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			if !slices.Contains(but, entry.Name()) {
				return fmt.Errorf("%s is not empty (%s): restore into an empty DATA_DIR, PROJECTS_ROOT, SITES_DIR and BACKENDS_DIR, and move what is there away first", folder, entry.Name())
			}
		}
	}
	if r.database == "" {
		return bunstore.CheckPostgresEmpty(ctx, r.settings.DatabaseURL)
	}
	if _, err := os.Stat(r.database); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists already: move it away, or set DATABASE_URL to a file that does not exist yet", r.database)
	}
	return nil
}

// unpack unpacks everything beside its place, and reads the archive to its end, with its checksum.
func (r *restoration) unpack(ctx context.Context, file io.Reader) error {
	opened, err := r.settings.Backup.Key.Decrypt(file)
	if err != nil {
		return err
	}
	zipped, err := gzip.NewReader(opened)
	if err != nil {
		return fmt.Errorf("this is no archive of atelier backup: %w", err)
	}
	entries := tar.NewReader(zipped)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = errors.Join(ctx.Err(), r.add(header, entries))
		}
		if err != nil {
			return fmt.Errorf("the archive could not be unpacked, and nothing was restored: %w", err)
		}
		r.tell()
	}
	if err := drain(zipped, opened); err != nil {
		return fmt.Errorf("the archive is damaged, and nothing was restored: %w", err)
	}
	slices.Reverse(r.modes)
	for _, folder := range r.modes {
		if err := os.Chmod(folder.path, folder.mode); err != nil {
			return err
		}
	}
	return nil
}

// drain reads streams to their ends, where their checksums are.
func drain(streams ...io.Reader) error {
	for _, stream := range streams {
		if _, err := io.Copy(io.Discard, stream); err != nil {
			return err
		}
	}
	return nil
}

// add unpacks one entry.
func (r *restoration) add(header *tar.Header, content io.Reader) error {
	name := strings.TrimSuffix(header.Name, "/")
	top, below, _ := strings.Cut(name, "/")
	if !filepath.IsLocal(name) || filepath.Clean(name) != name {
		return fmt.Errorf("%q is no name of atelier backup", header.Name)
	}
	if place, ok := r.single[name]; ok && header.Typeflag == tar.TypeReg {
		r.seen[name] = true
		return r.addSingle(place+stagedName, header, content)
	}
	place, ok := r.folders[top]
	if !ok {
		if name == databaseName || top == postgresDir {
			return errOtherDatabase
		}
		return fmt.Errorf("%q is no name of atelier backup", header.Name)
	}
	staged := filepath.Join(place, stagedName)
	if !r.seen[top] {
		r.seen[top] = true
		if err := os.MkdirAll(staged, 0o700); err != nil {
			return err
		}
	}
	if below == "" {
		r.modes = append(r.modes, folderMode{place, header.FileInfo().Mode().Perm()})
		return nil
	}
	// No name or link of the archive leads out of its folder.
	root, err := os.OpenRoot(staged)
	if err != nil {
		return err
	}
	defer root.Close()
	return r.addBelow(root, below, header, content)
}

func (r *restoration) addBelow(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		r.modes = append(r.modes, folderMode{filepath.Join(root.Name(), name), header.FileInfo().Mode().Perm()})
		return root.MkdirAll(name, 0o700)
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
		file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, header.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		if err := r.fill(file, content); err != nil {
			return err
		}
		return root.Chtimes(name, header.ModTime, header.ModTime)
	}
	return fmt.Errorf("%q is neither a file nor a folder nor a link", header.Name)
}

func (r *restoration) addSingle(path string, header *tar.Header, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, header.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	return r.fill(file, content)
}

// fill writes a file and closes it.
func (r *restoration) fill(file *os.File, content io.Reader) error {
	n, err := io.Copy(file, content)
	r.files++
	r.bytes += n
	return errors.Join(err, file.Close())
}

// tellEvery is how often the progress is told.
const tellEvery = 2 * time.Second

func (r *restoration) tell() {
	if time.Since(r.told) > tellEvery {
		r.told = time.Now()
		fmt.Fprintf(r.out, "unpacked %d files, %d MiB\n", r.files, r.bytes>>20)
	}
}

// verify checks the databases, and that the service can start with what there is.
func (r *restoration) verify(ctx context.Context) error {
	fmt.Fprintf(r.out, "unpacked %d files, %d MiB; checking the databases\n", r.files, r.bytes>>20)
	if r.database != "" && !r.seen[databaseName] || r.database == "" && !r.seen[postgresDir] {
		return errors.New("nothing was restored: the archive has no database")
	}
	if r.database != "" {
		if err := r.verifyDatabase(ctx, r.database+stagedName); err != nil {
			return err
		}
	}
	staged := filepath.Join(r.folders[BackendsDir], stagedName)
	databases, err := filepath.Glob(filepath.Join(globEscape(staged), "*", "*", "data", "data.db"))
	if err != nil {
		return err
	}
	for _, database := range databases {
		if err := bunstore.CheckSQLite(ctx, database); err != nil {
			below, _ := filepath.Rel(staged, database)
			return fmt.Errorf("nothing was restored: %s: %w", filepath.Join(BackendsDir, below), err)
		}
	}
	return nil
}

func (r *restoration) verifyDatabase(ctx context.Context, staged string) error {
	if err := bunstore.CheckSQLite(ctx, staged); err != nil {
		return fmt.Errorf("nothing was restored: %s: %w", databaseName, err)
	}
	store, err := bunstore.Open(ctx, "sqlite://"+staged)
	if err == nil {
		err = errors.Join(store.CheckNewer(ctx), store.Close())
	}
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	return nil
}

// place moves everything to its place, the database last: without it nobody takes the rest for
// an installation.
func (r *restoration) place(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	syscall.Sync()
	if r.database != "" {
		return r.placeFiles()
	}
	staged := filepath.Join(r.folders[postgresDir], stagedName)
	if err := bunstore.LoadPostgres(ctx, r.settings.DatabaseURL, staged, r.placeFiles); err != nil {
		return fmt.Errorf("the database was not restored: %w", err)
	}
	return nil
}

// placeFiles moves folders and files to their places.
func (r *restoration) placeFiles() error {
	for name, place := range r.folders {
		if r.seen[name] && name != postgresDir {
			if err := placeFolder(place); err != nil {
				return err
			}
		}
	}
	for _, name := range append(slices.Clone(secretNames), databaseName) {
		if place := r.single[name]; r.seen[name] {
			if err := os.Rename(place+stagedName, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeFolder moves what is staged in a folder up into it: the folder may be a file system of its
// own.
func placeFolder(place string) error {
	staged := filepath.Join(place, stagedName)
	entries, err := os.ReadDir(staged)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(staged, entry.Name()), filepath.Join(place, entry.Name())); err != nil {
			return err
		}
	}
	return os.Remove(staged)
}

// discard removes what is staged.
func (r *restoration) discard() {
	for _, place := range r.folders {
		_ = os.RemoveAll(filepath.Join(place, stagedName))
	}
	if place := r.folders[postgresDir]; place != "" {
		_ = os.Remove(place)
	}
	for _, place := range r.single {
		for _, journal := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(place + stagedName + journal)
		}
	}
}

// next says what to do before the start.
func (r *restoration) next() string {
	text := "start the service with these settings"
	if !r.seen["encryption.key"] && len(r.settings.EncryptionKey) == 0 {
		text += ", and with the ENCRYPTION_KEY that it had: the archive has none"
	}
	return text
}

// globEscape makes a path a pattern that matches it only.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
