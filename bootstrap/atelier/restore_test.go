package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// anArchive is a backup of an installation with the data of one project.
func anArchive(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	env := map[string]string{"DATA_DIR": dir}
	if out, err := atelier(t, env, "migrate"); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	data := filepath.Join(dir, "backends", "p", "live", "data", "data.db")
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE notes (text); INSERT INTO notes SELECT hex(randomblob(2000)) FROM sqlite_schema, (SELECT 1 UNION SELECT 2 UNION SELECT 3)"); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "atelier.tar.gz")
	if out, err := atelier(t, env, "backup", archive); err != nil {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	return archive
}

// pack writes an archive of entries.
func pack(t *testing.T, entries ...tar.Header) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, entry := range entries {
		if err := archive.WriteHeader(&entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return written(t, packed.Bytes())
}

// rewritten is an archive whose files were changed.
func rewritten(t *testing.T, archive []byte, change func(name string, content []byte)) string {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	from, to := tar.NewReader(zipped), tar.NewWriter(out)
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		change(header.Name, content)
		if err := to.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(to.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return written(t, packed.Bytes())
}

func written(t *testing.T, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// left are the names in a folder, but for the lock and empty folders.
func left(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "lock" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestABackupIsRestoredToWhereTheSettingsSay(t *testing.T) {
	archive := anArchive(t)
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "new"), "DATABASE_URL": "sqlite://" + filepath.Join(t.TempDir(), "other.db")}
	out, err := atelier(t, env, "restore", archive)
	if err != nil || !strings.Contains(out, "checking the databases") || !strings.Contains(out, "restored ") {
		t.Fatalf("got %q, %v, want it restored", out, err)
	}
	for _, file := range []string{
		strings.TrimPrefix(env["DATABASE_URL"], "sqlite://"), filepath.Join(env["DATA_DIR"], "encryption.key"), filepath.Join(env["DATA_DIR"], "backends/p/live/data/data.db"),
	} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("got %v, want the file restored", err)
		}
	}
	if out, err := atelier(t, env, "migrate"); err != nil {
		t.Errorf("got %q, %v, want a service that can start", out, err)
	}
	if out, err := atelier(t, env, "restore", archive); err == nil || !strings.Contains(err.Error(), "is not empty") && !strings.Contains(err.Error(), "exists already") {
		t.Errorf("got %q, %v, want the second restore refused", out, err)
	}
}

func TestAnArchiveThatIsNotWholeRestoresNothing(t *testing.T) {
	whole, err := os.ReadFile(anArchive(t))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1
	damaged := rewritten(t, whole, func(name string, content []byte) {
		if strings.HasSuffix(name, "data.db") {
			clear(content[4096:4200])
		}
	})
	for name, c := range map[string]struct{ archive, want string }{
		"cut off":              {written(t, whole[:len(whole)/2]), "nothing was restored"},
		"another checksum":     {written(t, flipped), "nothing was restored"},
		"no archive":           {written(t, []byte("text")), "no archive"},
		"a damaged database":   {damaged, "damaged"},
		"a name that leads up": {pack(t, tar.Header{Name: "projects/../../evil", Typeflag: tar.TypeReg}), "no name of atelier backup"},
		"a name of its own":    {pack(t, tar.Header{Name: "evil", Typeflag: tar.TypeReg}), "no name of atelier backup"},
		"a link that leads up": {pack(t, tar.Header{Name: "projects/a", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, tar.Header{Name: "projects/a/evil", Typeflag: tar.TypeReg}), "nothing was restored"},
		"no database":          {pack(t, tar.Header{Name: "projects/", Typeflag: tar.TypeDir, Mode: 0o700}), "no database"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out, err := atelier(t, map[string]string{"DATA_DIR": dir}, "restore", c.archive)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, %v, want %q", out, err, c.want)
			}
			if got := left(t, dir); len(got) > 0 {
				t.Errorf("got %v, want nothing", got)
			}
		})
	}
}

func TestARestoreRefusesPlacesThatHoldAnything(t *testing.T) {
	archive := anArchive(t)
	for _, name := range []string{"anything", "projects/one/index.html", "backends/p/x", "atelier.db"} {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("dear to me"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := atelier(t, map[string]string{"DATA_DIR": dir}, "restore", archive); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
		if got := left(t, dir); len(got) != 1 {
			t.Errorf("%s: got %v, want it left alone", name, got)
		}
	}
}
