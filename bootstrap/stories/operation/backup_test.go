package operation_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

func TestABackupOfARunningServiceIsRestored(t *testing.T) {
	service := process.Start(t, process.Build(t))
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/notes/kept.txt"), strings.NewReader("kept"), nil)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{"slug": "kept"}, nil)
	w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/backend/schema.json"), strings.NewReader(`{"collections": [{"name": "notes", "fields": [{"name": "text", "type": "text"}]}]}`), nil)
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/backend/test/collections/notes/records"), map[string]string{"text": "kept"}, nil)
	archive := filepath.Join(t.TempDir(), "atelier.tar.gz")
	stop := writeOn(w)
	service.Command("backup", archive)
	stop()
	service.Stop()

	if err := os.RemoveAll(service.Dir); err != nil {
		t.Fatal(err)
	}
	if out := service.Command("restore", archive); !strings.Contains(out, "restored ") {
		t.Errorf("got %q, want what was restored", out)
	}
	checkUnpacked(t, archive, service.Dir)
	service.Restart()
	w.Client.CloseIdleConnections()

	w.Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": w.User.Email, "password": "long enough"}, nil)
	if got := w.Do(http.MethodGet, w.Path("/files/notes/kept.txt"), nil); got.Status != http.StatusOK || string(got.Body) != "kept" {
		t.Errorf("a file: got %d %q, want it back", got.Status, got.Body)
	}
	checkListedFiles(w)
	var records struct{ Items []struct{ Text string } }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/backend/test/collections/notes/records"), nil, &records)
	if len(records.Items) != 1 || records.Items[0].Text != "kept" {
		t.Errorf("the records: got %v, want the one that was made", records.Items)
	}
	w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/notes/new.txt"), strings.NewReader("new"), nil)
	if got := w.Fetch(strings.Replace(service.URL, "http://", "http://kept.", 1)); got.Status != http.StatusOK {
		t.Errorf("the published page: got %d, want 200", got.Status)
	}
	(&storytest.Crash{Service: service, Work: w}).CheckRepository(t)
}

// writeOn writes files until it is stopped, at least one while the caller works.
func writeOn(w *storytest.Work) (stop func()) {
	var stopped atomic.Bool
	var writing sync.WaitGroup
	begun := make(chan struct{})
	writing.Go(func() {
		for n := 0; !stopped.Load(); n++ {
			w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/busy/"+string(rune('a'+n%26))+strings.Repeat("x", n/26)+".txt"), strings.NewReader("busy"), nil)
			if n == 0 {
				close(begun)
			}
		}
	})
	<-begun
	return func() {
		stopped.Store(true)
		writing.Wait()
	}
}

// checkListedFiles reads every file that the list names.
func checkListedFiles(w *storytest.Work) {
	w.T.Helper()
	var list []struct{ Path string }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &list)
	for _, file := range list {
		if got := w.Do(http.MethodGet, w.Path("/files/"+file.Path), nil); got.Status != http.StatusOK {
			w.T.Errorf("%s: got %d, want every listed file to be there", file.Path, got.Status)
		}
	}
}

// checkUnpacked compares what was restored with what tar unpacks. The service's own database was
// opened once, which changes its mode.
func checkUnpacked(t *testing.T, archive, restored string) {
	t.Helper()
	unpacked := t.TempDir()
	if out, err := exec.Command("tar", "-xzf", archive, "-C", unpacked).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	if out, err := exec.Command("diff", "-r", "--no-dereference", "--exclude=lock", "--exclude=atelier.db", unpacked, restored).CombinedOutput(); err != nil {
		t.Errorf("the restored files differ from the archive's: %v\n%s", err, out)
	}
}
