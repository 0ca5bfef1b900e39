package operation_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/conformance"
)

// drillProjects is how many projects a restored installation must have to the byte.
const drillProjects = 3

// overview is what an admin sees of backups.
type overview struct {
	Encrypted, Scheduled bool
	Last                 *struct {
		EndedAt       *time.Time
		Name, Failure string
	}
	Items []struct {
		Name     string
		Bytes    int64
		Verified bool
	}
}

// awaitBackup asks until a backup other than those before has ended.
func awaitBackup(w *storytest.Work, after string) (seen overview) {
	w.T.Helper()
	conformance.Eventually(w.T, "the end of a backup", func() bool {
		seen = overview{}
		w.Must(http.StatusOK, http.MethodGet, "/admin/backups", nil, &seen)
		return seen.Last != nil && seen.Last.EndedAt != nil && seen.Last.Name != after
	})
	return seen
}

// TestTheRestoreDrill loses a whole installation and brings it back from an encrypted backup that the
// running service made: from SQLite to a folder, and from PostgreSQL to storage that speaks S3.
func TestTheRestoreDrill(t *testing.T) {
	t.Run("SQLite and a folder", func(t *testing.T) {
		target := filepath.Join(t.TempDir(), "backups")
		drill(t, []string{"BACKUP_TARGET=" + target}, func() []string { return nil })
		files, err := filepath.Glob(filepath.Join(target, "*.age"))
		if err != nil || len(files) != 2 {
			t.Fatalf("got %v, %v, want two backups", files, err)
		}
		if content, err := os.ReadFile(files[1]); err != nil || !bytes.HasPrefix(content, []byte("age-encryption.org/v1")) {
			t.Errorf("got %.30q, %v, want an encrypted file", content, err)
		}
	})
	t.Run("PostgreSQL and S3", func(t *testing.T) {
		bucket := s3mem.New()
		if err := bucket.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(gofakes3.New(bucket).Server())
		defer server.Close()
		drill(t, []string{
			"BACKUP_TARGET=s3://bucket/backups", "BACKUP_ENDPOINT=" + server.URL, "BACKUP_ACCESS_KEY=access", "BACKUP_SECRET_KEY=secret",
		}, func() []string { return []string{"DATABASE_URL=" + storytest.Postgres(t)["DATABASE_URL"]} })
	})
}

// drill plays one story. database returns the settings of an empty database.
func drill(t *testing.T, target []string, database func() []string) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	settings := append([]string{"BACKUP_KEY=" + identity.String(), "BACKUP_KEEP=2"}, target...)
	service := process.Start(t, process.Build(t), append(settings, database()...)...)
	person := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	var works []*storytest.Work
	for range drillProjects {
		project := person.Create("static-html")
		project.Must(http.StatusCreated, http.MethodPut, project.Path("/files/backend/schema.json"), strings.NewReader(`{"collections": [{"name": "notes", "fields": [{"name": "text", "type": "text"}]}]}`), nil)
		project.Must(http.StatusCreated, http.MethodPost, project.Path("/backend/test/collections/notes/records"), map[string]string{"text": "kept"}, nil)
		works = append(works, project)
	}
	w := works[0]
	first := awaitBackup(w, "")
	w.Must(http.StatusAccepted, http.MethodPost, "/admin/backups", nil, nil)
	seen := awaitBackup(w, first.Last.Name)
	if seen.Last.Failure != "" || !seen.Encrypted || !seen.Scheduled || len(seen.Items) != 2 || !seen.Items[0].Verified || seen.Items[0].Name != seen.Last.Name {
		t.Fatalf("got %+v, want the one that was asked for, verified, beside the first", seen)
	}
	before := contents(works)
	service.Stop()

	if err := os.RemoveAll(service.Dir); err != nil {
		t.Fatal(err)
	}
	service.Set(database()...) // another one, which is empty
	if out := service.Command("restore", "latest"); !strings.Contains(out, "restoring "+seen.Last.Name) || !strings.Contains(out, "restored ") {
		t.Errorf("got %q, want what was restored", out)
	}
	service.Restart()
	if out := service.Command("self-check"); !strings.Contains(out, "is ready") {
		t.Errorf("self-check: got %q, want the service ready", out)
	}
	w.Client.CloseIdleConnections()
	w.Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": w.User.Email, "password": "long enough"}, nil)
	after := contents(works)
	for path, content := range before {
		if after[path] != content {
			t.Errorf("%s: got %q, want %q", path, after[path], content)
		}
	}
	if len(after) != len(before) {
		t.Errorf("got %d answers, want %d", len(after), len(before))
	}
}

// contents are the answers about everything in some projects.
func contents(works []*storytest.Work) map[string]string {
	found := map[string]string{}
	for _, w := range works {
		var list []struct{ Path string }
		w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &list)
		paths := []string{"", "/versions", "/chats", "/backend/test/collections/notes/records"}
		for _, file := range list {
			paths = append(paths, "/files/"+file.Path)
		}
		for _, path := range paths {
			got := w.Do(http.MethodGet, w.Path(path), nil)
			found[w.Path(path)] = http.StatusText(got.Status) + " " + string(got.Body)
		}
	}
	return found
}
