package npm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
)

// age makes things of a store look unused for some time.
func age(t *testing.T, by time.Duration, patterns ...string) {
	t.Helper()
	then := time.Now().Add(-by)
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("got %v, %v for %s, want something", paths, err, pattern)
		}
		for _, path := range paths {
			if err := os.Chtimes(path, then, then); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
}

func ageAll(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	age(t, by, filepath.Join(dir, "sets", "*"), filepath.Join(dir, "v", "*"), filepath.Join(dir, "content", "*"))
}

const (
	days  = 24 * time.Hour
	month = 31 * days
)

func sweep(t *testing.T, resolver *npm.Resolver) npm.SweepResult {
	t.Helper()
	swept, err := resolver.Sweep(t.Context())
	if err != nil {
		t.Fatalf("Sweep: %v", err)
	}
	return swept
}

func countIn(t *testing.T, parts ...string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// publishFleet publishes two packages that share a third.
func publishFleet(t *testing.T) *fakeRegistry {
	registry := newFakeRegistry(t)
	registry.publish(t, "@scope/fuel", "1.0.0", nil, nil)
	for _, name := range []string{"ship", "@scope/plane"} {
		registry.publish(t, name, "1.0.0", map[string]any{"dependencies": map[string]string{"@scope/fuel": "*"}}, nil)
	}
	return registry
}

func TestWhatNobodyUsesLeavesTheStore(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	resolver := openResolver(t, dir, registry.URL)
	install(t, resolver, map[string]string{"ship": "*"})
	plane := install(t, resolver, map[string]string{"@scope/plane": "*"})
	ageAll(t, dir, month)
	age(t, 0, plane.Dir)
	if got := sweep(t, resolver); got.Removed != 3 || got.Bytes == 0 {
		t.Errorf("got %+v, want the set, the instance and the content of ship removed", got)
	}
	wantVersion(t, versionsIn(t, plane.Dir), "@scope/plane", "@scope/plane@1.0.0")
	wantVersion(t, around(t, plane.Dir, "@scope/plane"), "@scope/fuel", "@scope/fuel@1.0.0")
	if left := countIn(t, dir, "tmp"); left != 0 {
		t.Errorf("got %d things in tmp, want none", left)
	}
}

func TestWhatWasSweptIsFetchedAgainAsItWas(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	ranges := map[string]string{"ship": "*"}
	resolver := openResolver(t, dir, registry.URL)
	want := install(t, resolver, ranges)
	registry.publish(t, "ship", "2.0.0", nil, nil)
	ageAll(t, dir, month)
	sweep(t, resolver)
	if sets, instances, contents := countIn(t, dir, "sets"), countIn(t, dir, "v"), countIn(t, dir, "content"); sets+instances+contents != 0 {
		t.Errorf("got %d sets, %d instances, %d contents, want none", sets, instances, contents)
	}
	if got := install(t, resolver, ranges); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	wantVersion(t, versionsIn(t, want.Dir), "ship", "ship@1.0.0")
}

func TestAnInstallThatFetchesNothingIsAUse(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	ranges := map[string]string{"ship": "*"}
	set := install(t, openResolver(t, dir, registry.URL), ranges)
	ageAll(t, dir, month)
	install(t, openResolver(t, dir, registry.URL), ranges)
	if got := sweep(t, openResolver(t, dir, registry.URL)); got.Removed != 0 {
		t.Errorf("got %+v, want nothing removed", got)
	}
	wantVersion(t, around(t, set.Dir, "ship"), "@scope/fuel", "@scope/fuel@1.0.0")
}

func TestAStoreThatIsTooLargeLosesWhatWasUsedTheLongestAgo(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	resolver, err := npm.New(npm.Config{Dir: dir, Registry: npm.Source{URL: registry.URL}, MaxBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, unused := range map[string]time.Duration{"week": 7 * days, "today": time.Hour} {
		registry.publish(t, name, "1.0.0", nil, nil)
		set := install(t, resolver, map[string]string{name: "*"})
		age(t, unused, set.Dir, filepath.Join(dir, "v", name+"*"))
	}
	age(t, 7*days, filepath.Join(dir, "content", "*"))
	if got := sweep(t, resolver); got.Removed != 3 {
		t.Errorf("got %+v, want what was not used for a week removed, and what was used today there", got)
	}
	if left := countIn(t, dir, "sets"); left != 1 {
		t.Errorf("got %d sets, want one", left)
	}
}

func TestASweepBesideInstallsTakesNothingThatIsRead(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	for i := range 4 {
		registry.publish(t, fmt.Sprintf("app%d", i), "1.0.0", map[string]any{"dependencies": map[string]string{"@scope/fuel": "*"}}, nil)
	}
	done := make(chan struct{})
	// No month passes in the middle of a sweep.
	var calendar sync.RWMutex
	var sweeps, installs sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for resolver := openResolver(t, dir, registry.URL); ; {
				calendar.RLock()
				_, err := resolver.Sweep(t.Context())
				calendar.RUnlock()
				if err != nil {
					t.Errorf("Sweep: %v", err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 4 {
		installs.Go(func() {
			name := fmt.Sprintf("app%d", i)
			for range 25 {
				set, err := openResolver(t, dir, registry.URL).Install(t.Context(), map[string]string{name: "*"})
				if err != nil {
					t.Errorf("Install: %v", err)
					return
				}
				for _, wanted := range []string{name, name + "/../@scope/fuel"} {
					real, err := filepath.EvalSymlinks(filepath.Join(set.Dir, "node_modules", name))
					if err == nil {
						_, err = os.ReadFile(filepath.Join(filepath.Dir(real), wanted, "package.json"))
					}
					if err != nil {
						t.Errorf("%s: %v", wanted, err)
					}
				}
				calendar.Lock()
				age(t, month, filepath.Join(dir, "v", name+"@*"), set.Dir)
				calendar.Unlock()
			}
		})
	}
	installs.Wait()
	close(done)
	sweeps.Wait()
}

// A sweep has found a set unused and is about to remove it when somebody uses it.
func TestASweepLooksAgainBeforeItRemoves(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	resolver := openResolver(t, dir, registry.URL)
	set := install(t, resolver, map[string]string{"ship": "*"})
	ageAll(t, dir, month)
	swept := make(chan npm.SweepResult)
	err := npm.WhileInUse(resolver, func() error {
		go func() {
			found, err := resolver.Sweep(context.Background())
			if err != nil {
				t.Errorf("Sweep: %v", err)
			}
			swept <- found
		}()
		for countIn(t, dir, "tmp") == 0 {
			continue
		}
		return os.Chtimes(set.Dir, time.Now(), time.Now())
	})
	if got := <-swept; err != nil || got.Removed != 0 {
		t.Errorf("got %+v, %v, want nothing removed", got, err)
	}
}

func TestTwoSweepsAtOnceDoNoHarm(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	install(t, openResolver(t, dir, registry.URL), map[string]string{"ship": "*"})
	ageAll(t, dir, month)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := openResolver(t, dir, registry.URL).Sweep(t.Context()); err != nil {
				t.Errorf("Sweep: %v", err)
			}
		})
	}
	group.Wait()
	install(t, openResolver(t, dir, registry.URL), map[string]string{"ship": "*"})
}

const crashSweep = "NPM_TEST_CRASH_SWEEP"

func sweepUntilKilled(dir string) {
	resolver, err := npm.New(npm.Config{Dir: dir})
	if err != nil {
		os.Exit(1)
	}
	_, _ = resolver.Sweep(context.Background()) // the store says how far it came
	os.Exit(0)
}

// A sweep is killed when half of the sets, or of the instances, are gone; whatever
// is left then works.
func TestAKilledSweepLeavesAStoreThatWorks(t *testing.T) {
	const apps = 24
	registry, dir := publishFleet(t), t.TempDir()
	name := func(i int) string { return fmt.Sprintf("app%d", i) }
	for i := range apps {
		registry.publish(t, name(i), "1.0.0", map[string]any{"dependencies": map[string]string{"@scope/fuel": "*"}}, nil)
	}
	for _, part := range []string{"sets", "v", "content"} {
		for i := range apps {
			install(t, openResolver(t, dir, registry.URL), map[string]string{name(i): "*"})
		}
		ageAll(t, dir, month)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), crashSweep+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for countIn(t, dir, part) > apps/2 {
			continue
		}
		_ = child.Process.Kill() // it may have been quicker
		_ = child.Wait()
		for i := range apps {
			set := install(t, openResolver(t, dir, registry.URL), map[string]string{name(i): "*"})
			wantVersion(t, versionsIn(t, set.Dir), name(i), name(i)+"@1.0.0")
			wantVersion(t, around(t, set.Dir, name(i)), "@scope/fuel", "@scope/fuel@1.0.0")
		}
	}
}

func TestACancelledSweepEnds(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	resolver := openResolver(t, dir, registry.URL)
	install(t, resolver, map[string]string{"ship": "*"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := resolver.Sweep(ctx); err == nil {
		t.Error("got no error, want that of the context")
	}
	stop := resolver.SweepRegularly(func(npm.SweepResult, error) { t.Error("got a sweep at once") })
	stop()
}

func TestTheMirrorKeepsNoMoreThanItsShare(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	for _, name := range []string{"old", "new"} {
		registry.publish(t, name, "1.0.0", nil, nil)
	}
	resolver := openResolver(t, dir, registry.URL)
	mirror := openMirror(t, dir, registry.URL)
	ask(t, "GET", mirror.URL+"/old/-/old-1.0.0.tgz")
	age(t, time.Hour, filepath.Join(dir, "tarballs", "*"), filepath.Join(dir, "packuments", "*"))
	ask(t, "GET", mirror.URL+"/new/-/new-1.0.0.tgz")
	newest := 0
	for _, part := range []string{"tarballs", "packuments"} {
		newest += countIn(t, dir, part) / 2
	}
	npm.SetMaxBytes(resolver, 2*npm.BytesOfMirror(resolver)-2)
	if got := sweep(t, resolver); got.Removed == 0 || got.Removed > newest {
		t.Errorf("got %+v, want the oldest of %d files removed", got, 2*newest)
	}
	if got := ask(t, "GET", mirror.URL+"/old/-/old-1.0.0.tgz"); got.status != 200 {
		t.Errorf("got %d for what was removed, want it fetched anew", got.status)
	}
	ageMirror := []string{filepath.Join(dir, "tarballs", "*"), filepath.Join(dir, "packuments", "*")}
	age(t, month, ageMirror...)
	sweep(t, resolver)
	if left := countIn(t, dir, "tarballs") + countIn(t, dir, "packuments"); left != 0 {
		t.Errorf("got %d files that nobody used for a month, want none", left)
	}
}

func TestAStoreThatCannotBeReadIsNotSweptAsIfItWereEmpty(t *testing.T) {
	registry, dir := publishFleet(t), t.TempDir()
	resolver := openResolver(t, dir, registry.URL)
	install(t, resolver, map[string]string{"ship": "*"})
	ageAll(t, dir, month)
	sets := filepath.Join(dir, "sets")
	if err := os.RemoveAll(sets); err != nil {
		t.Fatal(err)
	}
	if _, err := resolver.Sweep(t.Context()); err == nil {
		t.Error("got no error, want one: the sets are not there")
	}
	if left := countIn(t, dir, "v"); left != 2 {
		t.Errorf("got %d instances, want both: nobody knows who needs them", left)
	}
	if err := os.WriteFile(sets, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := resolver.Install(t.Context(), map[string]string{"ship": "*"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}
