package npm_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

func TestALockOutlivesTheProcess(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", map[string]any{"dependencies": map[string]string{"fuel": "^1.0.0"}}, nil)
	registry.publish(t, "fuel", "1.0.0", nil, nil)
	ranges := map[string]string{"engine": "^1.0.0"}
	want := install(t, openResolver(t, dir, registry.URL), ranges)
	registry.publish(t, "engine", "1.1.0", nil, nil)
	registry.publish(t, "fuel", "1.0.1", nil, nil)
	registry.Close()
	if got := install(t, openResolver(t, dir, registry.URL), ranges); got != want {
		t.Errorf("another process, offline: got %+v, want %+v", got, want)
	}
}

func TestALockBringsBackWhatWasRemoved(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", nil, nil)
	ranges := map[string]string{"engine": "^1.0.0"}
	resolver := openResolver(t, dir, registry.URL)
	want := install(t, resolver, ranges)
	registry.publish(t, "engine", "1.1.0", nil, nil)
	for _, part := range []string{"sets", "v", "content"} {
		if err := os.RemoveAll(filepath.Join(dir, part)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, part), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := install(t, resolver, ranges); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	wantVersion(t, versionsIn(t, want.Dir), "engine", "engine@1.0.0")
}

func TestAFailedInstallLocksNothing(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", nil, nil)
	registry.setDist("engine", "1.0.0", map[string]string{"tarball": registry.URL + "/gone.tgz", "integrity": "sha512-" + strings.Repeat("A", 86) + "=="})
	resolver := openResolver(t, dir, registry.URL)
	if _, err := resolver.Install(t.Context(), map[string]string{"engine": "*"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Fatalf("got %v, want code %s", err, core.CodeUnavailable)
	}
	registry.publish(t, "engine", "1.0.1", nil, nil)
	wantVersion(t, versionsIn(t, install(t, resolver, map[string]string{"engine": "*"}).Dir), "engine", "engine@1.0.1")
}

func TestADamagedLockIsUnavailable(t *testing.T) {
	damages := []string{
		"", "{", `{"format":1,"lock":{"roots":{"engine":"engine@1.0.0"},"packages":{}}}`, `{"format":99,"lock":{"roots":{},"packages":{}}}`,
		`{"format":1,"lock":{"roots":{},"packages":{"a@1":null}}}`,
		`{"format":1,"lock":{"roots":{"../x":"a@1"},"packages":{"a@1":{"name":"a","version":"1"}}}}`,
		`{"format":1,"lock":{"roots":{"x":"../a@1"},"packages":{"../a@1":{"name":"../a","version":"1"}}}}`,
	}
	for _, damage := range damages {
		registry, dir := newFakeRegistry(t), t.TempDir()
		registry.publish(t, "engine", "1.0.0", nil, nil)
		install(t, openResolver(t, dir, registry.URL), map[string]string{"engine": "*"})
		locks, err := filepath.Glob(filepath.Join(dir, "locks", "*.json"))
		if err != nil || len(locks) != 1 {
			t.Fatalf("got locks %v, want one", locks)
		}
		if err := os.WriteFile(locks[0], []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = openResolver(t, dir, registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%q: got %v, want code %s", damage, err, core.CodeUnavailable)
		}
	}
}

func TestOneInstallServesAllWhoAsk(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := resolver.Install(t.Context(), map[string]string{"engine": "*"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if asked := registry.asked(); len(asked) != 2 {
		t.Errorf("got requests %q, want the packument and the archive once", asked)
	}
}

func TestManyProcessesMakeOneStore(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "fuel", "1.0.0", nil, nil)
	registry.publish(t, "engine", "1.0.0", map[string]any{"dependencies": map[string]string{"fuel": "*"}}, map[string]string{"a/b/c.js": "1", "a/d.js": "2"})
	sets := make([]packages.Set, 8)
	var group sync.WaitGroup
	for i := range sets {
		resolver := openResolver(t, dir, registry.URL)
		group.Go(func() {
			if i%2 == 0 {
				registry.publish(t, "fuel", "1.0."+string(rune('1'+i)), nil, nil)
			}
			set, err := resolver.Install(t.Context(), map[string]string{"engine": "*"})
			if err != nil {
				t.Error(err)
			}
			sets[i] = set
		})
	}
	group.Wait()
	for _, set := range sets {
		if set != sets[0] {
			t.Errorf("got %+v, want %+v", set, sets[0])
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("got %v in tmp, want nothing", left)
	}
}

func TestACallerWhoGivesUpLeavesTheOthersTheirInstall(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	started, finish := make(chan struct{}), make(chan struct{})
	var once sync.Once
	registry.intercept(func(http.ResponseWriter, *http.Request) bool {
		once.Do(func() { close(started) })
		<-finish
		return false
	})
	resolver := openResolver(t, t.TempDir(), registry.URL)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	go func() { _, err := resolver.Install(ctx, map[string]string{"engine": "*"}); errs <- err }()
	<-started
	patient := make(chan error, 1)
	joined := make(chan struct{})
	go func() {
		_, err := resolver.Install(waitingContext{t.Context(), sync.OnceFunc(func() { close(joined) })}, map[string]string{"engine": "*"})
		patient <- err
	}()
	<-joined
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the impatient caller: got %v, want %v", err, context.Canceled)
	}
	close(finish)
	if err := <-patient; err != nil {
		t.Errorf("the patient caller: got %v, want no error", err)
	}
}

// waitingContext reports that a caller waits for its end. An install does so once it has
// joined or started the shared call.
type waitingContext struct {
	context.Context
	waits func()
}

func (c waitingContext) Done() <-chan struct{} {
	c.waits()
	return c.Context.Done()
}

func TestTheLastCallerToGiveUpEndsTheInstall(t *testing.T) {
	registry := newFakeRegistry(t)
	ctx, cancel := context.WithCancel(t.Context())
	registry.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	if _, err := openResolver(t, t.TempDir(), registry.URL).Install(ctx, map[string]string{"engine": "*"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestTheStrongestDigestDecides(t *testing.T) {
	archive := archiveOf(t, []tarEntry{file("package/package.json", "{}")})
	wrong := "sha512-" + strings.Repeat("A", 86) + "=="
	cases := []struct {
		name string
		dist map[string]string
		want core.Code
	}{
		{"only SHA-1", map[string]string{"shasum": sha1Hex(archive)}, ""},
		{"a wrong SHA-1", map[string]string{"shasum": sha1Hex([]byte("other"))}, core.CodeUnavailable},
		{"a wrong SHA-512 beside a right SHA-1", map[string]string{"integrity": wrong, "shasum": sha1Hex(archive)}, core.CodeUnavailable},
		{"a wrong SHA-512 behind another digest", map[string]string{"integrity": "sha1-AAAA " + wrong}, core.CodeUnavailable},
		{"no digest", map[string]string{}, core.CodeUnavailable},
		{"an invalid digest", map[string]string{"integrity": "sha512-!!!"}, core.CodeUnavailable},
		{"an unknown digest", map[string]string{"integrity": "md5-AAAA"}, core.CodeUnavailable},
	}
	for _, c := range cases {
		registry := newFakeRegistry(t)
		registry.publishArchive(t, "engine", "1.0.0", nil, archive)
		c.dist["tarball"] = registry.URL + registry.tarballPath("engine", "1.0.0")
		registry.setDist("engine", "1.0.0", c.dist)
		_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
		if got := core.CodeOf(err); got != c.want {
			t.Errorf("%s: got %v, want code %q", c.name, err, c.want)
		}
	}
}

func TestWhatDeadProcessesLeftIsSwept(t *testing.T) {
	dir := t.TempDir()
	openResolver(t, dir, "")
	old, young := filepath.Join(dir, "tmp", "old"), filepath.Join(dir, "tmp", "young")
	for _, path := range []string{old, young} {
		if err := os.MkdirAll(filepath.Join(path, "half"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	openResolver(t, dir, "")
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("old: got %v, want it to be gone", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("young: got %v, want it to stay", err)
	}
}

func TestAStoreCanMoveAsAWhole(t *testing.T) {
	registry, parent := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "@scope/fuel", "1.0.0", nil, nil)
	registry.publish(t, "@scope/engine", "1.0.0", map[string]any{"dependencies": map[string]string{"@scope/fuel": "*"}}, nil)
	set := install(t, openResolver(t, filepath.Join(parent, "a"), registry.URL), map[string]string{"@scope/engine": "*"})
	if err := os.Rename(filepath.Join(parent, "a"), filepath.Join(parent, "b")); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(parent, "b", "sets", set.Key)
	wantVersion(t, versionsIn(t, moved), "@scope/engine", "@scope/engine@1.0.0")
	wantVersion(t, around(t, moved, "@scope/engine"), "@scope/fuel", "@scope/fuel@1.0.0")
}
