package dataworker_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// TestNoPlaceLeadsToAnother names places that a path would lead from to the data of a project.
func TestNoPlaceLeadsToAnother(t *testing.T) {
	n := newNotes(t)
	n.create("secret-of-the-victim")
	id := string(n.place.Project)
	own := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if got := n.read(n.place); !strings.Contains(got, "secret-of-the-victim") {
		t.Fatalf("got %s, want the victim's record at its place", got)
	}
	for _, project := range []string{"", ".", "..", "*", "../" + id, "x/../" + id, id + "/", id + "/.", id + "/../" + id, "./" + id, id + "\x00", strings.ToUpper(id), "/" + filepath.Join(n.dir, id)} {
		n.hides(backend.Place{Project: core.ID(project), Env: core.DataLive})
	}
	for _, env := range []string{"", "..", "../" + id + "/live", "../../" + id + "/live", "live/../../" + id + "/live", "/" + filepath.Join(n.dir, id, "live")} {
		n.hides(backend.Place{Project: own.Project, Env: core.DataEnv(env)})
	}
	for _, of := range []string{"..", "../../" + id + "/live", "../../../" + id + "/live", "*"} {
		n.hides(backend.Place{Project: own.Project, Env: core.DataLive, Copy: core.ID(of)})
		n.hides(backend.Place{Project: n.place.Project, Env: core.DataTest, Copy: core.ID(of)})
	}
	if err := n.engine.Restore(t.Context(), own, core.ID("../../../"+id+"/live")); err == nil {
		t.Error("a snapshot was restored from another project's data")
	}
}

// TestNobodyConnectsToTheWorker: it has no name in the file system or the network, so only the
// service, which started it, reaches it.
func TestNobodyConnectsToTheWorker(t *testing.T) {
	n := newNotes(t)
	n.create("x")
	err := filepath.WalkDir(n.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type()&fs.ModeSocket != 0 {
			t.Errorf("%s is a socket, want none among the data", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	proc := fmt.Sprintf("/proc/%d/", n.engine.ID())
	descriptors, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	own := make(map[string]bool)
	for _, descriptor := range descriptors {
		target, _ := os.Readlink(proc + "fd/" + descriptor.Name())
		if inode, found := strings.CutPrefix(target, "socket:["); found {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	if len(own) == 0 {
		t.Fatal("the worker has no sockets: the test looks at another process")
	}
	const accepts = 0x10000 // __SO_ACCEPTCON of the kernel's net.h
	for line := range strings.Lines(readFile(t, proc+"net/unix")) {
		fields := strings.Fields(line)
		if len(fields) < 7 || !own[fields[6]] {
			continue
		}
		if flags, err := strconv.ParseUint(fields[3], 16, 64); err != nil || flags&accepts != 0 || len(fields) > 7 {
			t.Errorf("got a socket that others can connect to: %s", line)
		}
	}
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		for line := range strings.Lines(readFile(t, proc+"net/"+kind)) {
			if fields := strings.Fields(line); len(fields) > 9 && own[fields[9]] {
				t.Errorf("got a socket of the network: %s", line)
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}

// create writes one record.
func (n *notes) create(text string) {
	n.t.Helper()
	r := httptest.NewRequestWithContext(n.t.Context(), http.MethodPost, "/api/collections/notes/records", strings.NewReader(`{"text":"`+text+`"}`))
	r.Header.Set("Content-Type", "application/json")
	if w := n.serve(r); w.Code != http.StatusOK {
		n.t.Fatalf("a create answered %d %s", w.Code, w.Body)
	}
}

// read lists the records at a place as their owner.
func (n *notes) read(at backend.Place) string {
	w := httptest.NewRecorder()
	n.engine.Serve(w, httptest.NewRequestWithContext(n.t.Context(), http.MethodGet, "/api/collections/notes/records", nil), at, backend.Identity{Owner: true})
	return fmt.Sprint(w.Code, " ", w.Body)
}

// hides checks that a place shows nothing.
func (n *notes) hides(at backend.Place) {
	n.t.Helper()
	if got := n.read(at); strings.HasPrefix(got, "200") || strings.Contains(got, "secret-of-the-victim") {
		n.t.Errorf("%+v: got %s, want nothing", at, got)
	}
}
