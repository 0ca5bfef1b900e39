package bootstrap_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/process"
)

func TestABackupOfARunningServiceIsRestored(t *testing.T) {
	service := process.Start(t, process.Build(t))
	w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create("static-html")
	w.must(http.StatusCreated, http.MethodPut, w.path("/files/notes/kept.txt"), strings.NewReader("kept"), nil)
	w.must(http.StatusOK, http.MethodPost, w.path("/publish"), map[string]string{"slug": "kept"}, nil)
	archive := filepath.Join(t.TempDir(), "atelier.tar.gz")
	stop := writeOn(w)
	service.Command("backup", archive)
	stop()
	service.Stop()

	if err := os.RemoveAll(service.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(service.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-xzf", archive, "-C", service.Dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	service.Restart()
	w.http.CloseIdleConnections()

	w.must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": w.user.Email, "password": "long enough"}, nil)
	if got := w.do(http.MethodGet, w.path("/files/notes/kept.txt"), nil); got.status != http.StatusOK || string(got.body) != "kept" {
		t.Errorf("a file: got %d %q, want it back", got.status, got.body)
	}
	w.checkListedFiles()
	w.must(http.StatusCreated, http.MethodPut, w.path("/files/notes/new.txt"), strings.NewReader("new"), nil)
	if got := w.fetch(strings.Replace(service.URL, "http://", "http://kept.", 1)); got.status != http.StatusOK {
		t.Errorf("the published page: got %d, want 200", got.status)
	}
	(&crash{Service: service, work: w}).checkRepository(t)
}

// writeOn writes files until it is stopped, at least one while the caller works.
func writeOn(w *work) (stop func()) {
	var stopped atomic.Bool
	var writing sync.WaitGroup
	begun := make(chan struct{})
	writing.Go(func() {
		for n := 0; !stopped.Load(); n++ {
			w.must(http.StatusCreated, http.MethodPut, w.path("/files/busy/"+string(rune('a'+n%26))+strings.Repeat("x", n/26)+".txt"), strings.NewReader("busy"), nil)
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
func (w *work) checkListedFiles() {
	w.t.Helper()
	var list []struct{ Path string }
	w.must(http.StatusOK, http.MethodGet, w.path("/files"), nil, &list)
	for _, file := range list {
		if got := w.do(http.MethodGet, w.path("/files/"+file.Path), nil); got.status != http.StatusOK {
			w.t.Errorf("%s: got %d, want every listed file to be there", file.Path, got.status)
		}
	}
}
