package npm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
)

// openMirror serves a mirror of a registry, with its store in dir.
func openMirror(t *testing.T, dir, registry string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(npm.NewMirror(openResolver(t, dir, registry)))
	t.Cleanup(server.Close)
	return server
}

type reply struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, method, address string, header ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

func tarballsOf(t *testing.T, document string) map[string]string {
	t.Helper()
	var read struct {
		Versions map[string]struct{ Dist struct{ Tarball string } }
	}
	if err := json.Unmarshal([]byte(document), &read); err != nil {
		t.Fatalf("%v in %.300s", err, document)
	}
	tarballs := make(map[string]string)
	for version, manifest := range read.Versions {
		tarballs[version] = manifest.Dist.Tarball
	}
	return tarballs
}

func TestTheMirrorOffersArchivesUnderItsOwnAddress(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "@scope/engine", "1.0.0", map[string]any{"description": "line\nbreak"}, nil)
	registry.publish(t, "@scope/engine", "2.0.0-beta.1", nil, nil)
	registry.publish(t, "@scope/engine", "not-a-version", nil, nil)
	mirror := openMirror(t, t.TempDir(), registry.URL)
	for _, path := range []string{"/@scope%2fengine", "/@scope%2Fengine", "/@scope/engine"} {
		document := ask(t, http.MethodGet, mirror.URL+path, "Host", "registry.sandbox:4873")
		tarballs := tarballsOf(t, document.body)
		for _, version := range []string{"1.0.0", "2.0.0-beta.1"} {
			if want := "http://registry.sandbox:4873/@scope/engine/-/engine-" + version + ".tgz"; tarballs[version] != want {
				t.Errorf("%s: got the archive of %s at %q, want %q", path, version, tarballs[version], want)
			}
		}
		if len(tarballs) != 2 {
			t.Errorf("%s: got versions %v, want the two that are some", path, tarballs)
		}
	}
	archive := ask(t, http.MethodGet, mirror.URL+"/@scope/engine/-/engine-1.0.0.tgz")
	if want := registry.tarballs[registry.tarballPath("@scope/engine", "1.0.0")]; archive.status != http.StatusOK || archive.body != string(want) {
		t.Errorf("got %d and %d bytes, want the %d bytes of the archive", archive.status, len(archive.body), len(want))
	}
}

func TestTheMirrorHandsOnFullAndAbbreviatedDocuments(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	var mu sync.Mutex
	var accepted []string
	registry.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		accepted = append(accepted, r.Header.Get("Accept"))
		return false
	})
	mirror := openMirror(t, t.TempDir(), registry.URL)
	for accept, want := range map[string]string{
		"application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*": "application/vnd.npm.install-v1+json",
		"application/json": "application/json",
	} {
		if got := ask(t, http.MethodGet, mirror.URL+"/engine", "Accept", accept); got.header.Get("Content-Type") != want {
			t.Errorf("%s: got %s, want %s", accept, got.header.Get("Content-Type"), want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(accepted) != 2 || accepted[0] == accepted[1] {
		t.Errorf("got the registry asked for %q, want both kinds", accepted)
	}
}

func TestTheMirrorAsksAgainOnlyWhetherADocumentHolds(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", nil, nil)
	registry.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
		return false
	})
	first := ask(t, http.MethodGet, openMirror(t, dir, registry.URL).URL+"/engine", "Host", "mirror")
	mirror := openMirror(t, dir, registry.URL)
	second := ask(t, http.MethodGet, mirror.URL+"/engine", "Host", "mirror")
	if first.body != second.body || second.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("got %.200s, want the document that is kept: %.200s", second.body, first.body)
	}
	third := ask(t, http.MethodGet, mirror.URL+"/engine", "Host", "mirror", "If-None-Match", first.header.Get("ETag"))
	if third.status != http.StatusNotModified || third.body != "" {
		t.Errorf("got %d %q, want 304", third.status, third.body)
	}
	other := ask(t, http.MethodGet, mirror.URL+"/engine", "Host", "other", "If-None-Match", first.header.Get("ETag"))
	if other.status != http.StatusOK {
		t.Errorf("by another address: got %d, want the document with that address", other.status)
	}
	if asked := registry.asked(); len(asked) != 2 {
		t.Errorf("got requests %q, want two", asked)
	}
}

func TestTheMirrorHandsOnWhatItKeepsWhileTheRegistryIsInTrouble(t *testing.T) {
	troubles := map[string]func(http.ResponseWriter){
		"5xx":     func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"garbage": func(w http.ResponseWriter) { io.WriteString(w, "<html>captive portal") },
		"cut off": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1000"); io.WriteString(w, "{") },
	}
	for name, trouble := range troubles {
		registry, dir := newFakeRegistry(t), t.TempDir()
		registry.publish(t, "engine", "1.0.0", nil, nil)
		mirror := openMirror(t, dir, registry.URL)
		want := ask(t, http.MethodGet, mirror.URL+"/engine", "Host", "mirror")
		archive := ask(t, http.MethodGet, mirror.URL+"/engine/-/engine-1.0.0.tgz")
		registry.intercept(func(w http.ResponseWriter, _ *http.Request) bool { trouble(w); return true })
		later := openMirror(t, dir, registry.URL)
		if got := ask(t, http.MethodGet, later.URL+"/engine", "Host", "mirror"); got.status != http.StatusOK || got.body != want.body {
			t.Errorf("%s: got %d %.200s, want the document that is kept", name, got.status, got.body)
		}
		if got := ask(t, http.MethodGet, later.URL+"/engine/-/engine-1.0.0.tgz"); got.status != http.StatusOK || got.body != archive.body {
			t.Errorf("%s: got %d, want the archive that is kept", name, got.status)
		}
		if got := ask(t, http.MethodGet, later.URL+"/never-seen"); got.status != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d for what was never seen, want 503", name, got.status)
		}
	}
}

func TestARegistryInTroubleIsLeftAloneForAWhile(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	names := []string{"engine", "fuel", "view"}
	mirror := openMirror(t, dir, registry.URL)
	for _, name := range names {
		registry.publish(t, name, "1.0.0", nil, nil)
		ask(t, http.MethodGet, mirror.URL+"/"+name)
	}
	registry.intercept(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
	before, later := len(registry.asked()), openMirror(t, dir, registry.URL)
	for range 3 {
		for _, name := range names {
			if got := ask(t, http.MethodGet, later.URL+"/"+name); got.status != http.StatusOK {
				t.Errorf("%s: got %d, want what is kept", name, got.status)
			}
		}
	}
	if asked := registry.asked()[before:]; len(asked) != 1 {
		t.Errorf("got the registry asked for %q, want one try", asked)
	}
}

func TestTheMirrorAnswersNothingElse(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	mirror := openMirror(t, t.TempDir(), registry.URL)
	cases := []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/-/ping", 200},
		{http.MethodPost, "/-/npm/v1/security/advisories/bulk", 200},
		{http.MethodPost, "/-/npm/v1/security/audits/quick", 200},
		{http.MethodHead, "/engine", 200},
		{http.MethodPut, "/engine", 405},
		{http.MethodPost, "/engine", 405},
		{http.MethodDelete, "/engine/-/engine-1.0.0.tgz", 405},
		{http.MethodGet, "/-/npm/v1/security/advisories/bulk", 405},
		{http.MethodPut, "/-/user/org.couchdb.user:me", 404},
		{http.MethodGet, "/-/whoami", 404},
		{http.MethodGet, "/-/v1/search?text=x", 404},
		{http.MethodGet, "/", 404},
		{http.MethodGet, "/absent", 404},
		{http.MethodGet, "/engine/1.0.0", 404},
		{http.MethodGet, "/engine/-/engine-9.0.0.tgz", 404},
		{http.MethodGet, "/engine/-/other-1.0.0.tgz", 404},
		{http.MethodGet, "/engine/-/engine-1.0.0.tar", 404},
		{http.MethodGet, "/engine/-/../../../../etc/passwd", 404},
		{http.MethodGet, "/..%2f..%2fetc%2fpasswd", 404},
		{http.MethodGet, "/@scope%2f..%2f..%2fx", 404},
		{http.MethodGet, "/engine%00", 404},
		{http.MethodGet, "/engine%0d%0aX-Evil:%20yes", 404},
		{http.MethodGet, "/http:%2f%2f169.254.169.254%2f", 404},
		{http.MethodGet, "/" + strings.Repeat("x", 10_000), 404},
	}
	for _, c := range cases {
		got := ask(t, c.method, mirror.URL+c.path)
		if got.status != c.status || got.header.Get("X-Evil") != "" {
			t.Errorf("%s %.60s: got %d, want %d", c.method, c.path, got.status, c.status)
		}
	}
	for _, asked := range registry.asked() {
		if asked != "/engine" && asked != "/absent" && asked != registry.tarballPath("engine", "1.0.0") {
			t.Errorf("got the registry asked for %q, want only packages", asked)
		}
	}
}

func TestTheMirrorRefusesAHostThatIsNone(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	mirror := npm.NewMirror(openResolver(t, t.TempDir(), registry.URL))
	for _, host := range []string{"", `x"y`, "a b", "a/b", "a\nb", "user@host", strings.Repeat("a", 300), "h:port"} {
		request := httptest.NewRequest(http.MethodGet, "/engine", nil)
		request.Host = host
		answer := httptest.NewRecorder()
		mirror.ServeHTTP(answer, request)
		if answer.Code != http.StatusBadRequest {
			t.Errorf("%.40q: got %d, want 400", host, answer.Code)
		}
	}
}

func TestTheMirrorForwardsNothingOfItsClients(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	var mu sync.Mutex
	var seen []http.Header
	registry.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Clone())
		return false
	})
	mirror := openMirror(t, t.TempDir(), registry.URL)
	for _, path := range []string{"/engine", "/engine/-/engine-1.0.0.tgz"} {
		ask(t, http.MethodGet, mirror.URL+path, "Authorization", "Bearer stolen", "Cookie", "a=b", "Npm-Session", "1", "User-Agent", "npm/1", "If-None-Match", `"x"`)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, header := range seen {
		for _, name := range []string{"Authorization", "Cookie", "Npm-Session", "If-None-Match", "X-Forwarded-For"} {
			if header.Get(name) != "" {
				t.Errorf("got %s: %q at the registry, want nothing of the client's", name, header.Get(name))
			}
		}
		if header.Get("User-Agent") == "npm/1" {
			t.Error("got the client's User-Agent at the registry")
		}
	}
	if len(seen) == 0 {
		t.Error("got no request at the registry")
	}
}

func TestTheMirrorRefusesAnArchiveThatDoesNotMatchItsDigest(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", nil, nil)
	mirror := openMirror(t, dir, registry.URL)
	content := registry.tarballs[registry.tarballPath("engine", "1.0.0")]
	content[30] ^= 1
	if got := ask(t, http.MethodGet, mirror.URL+"/engine/-/engine-1.0.0.tgz"); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", got.status)
	}
	content[30] ^= 1
	if got := ask(t, http.MethodGet, mirror.URL+"/engine/-/engine-1.0.0.tgz"); got.status != http.StatusOK {
		t.Errorf("mended: got %d, want the archive", got.status)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "tarballs", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("got %v kept, want one archive", kept)
	}
	if err := os.WriteFile(kept[0], []byte("a disk that forgets"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, http.MethodGet, mirror.URL+"/engine/-/engine-1.0.0.tgz"); got.status != http.StatusOK || got.body != string(content) {
		t.Errorf("damaged on the disk: got %d, want the archive fetched anew", got.status)
	}
}

func TestTheMirrorFetchesOnceForAllWhoAsk(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	mirror := openMirror(t, t.TempDir(), registry.URL)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for _, path := range []string{"/engine", "/engine/-/engine-1.0.0.tgz"} {
				if got := ask(t, http.MethodGet, mirror.URL+path); got.status != http.StatusOK {
					t.Errorf("%s: got %d, want 200", path, got.status)
				}
			}
		})
	}
	group.Wait()
	if asked := registry.asked(); len(asked) > 3 {
		t.Errorf("got %d requests at the registry, want the two kinds of document and the archive: %q", len(asked), asked)
	}
}

func TestAnInstallTakesWhatTheMirrorKeeps(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "engine", "1.0.0", nil, nil)
	resolver := openResolver(t, dir, registry.URL)
	server := httptest.NewServer(npm.NewMirror(resolver))
	defer server.Close()
	ask(t, http.MethodGet, server.URL+"/engine/-/engine-1.0.0.tgz")
	before := len(registry.asked())
	install(t, resolver, map[string]string{"engine": "*"})
	if asked := registry.asked()[before:]; len(asked) != 1 || asked[0] != "/engine" {
		t.Errorf("got requests %q, want the packument alone", asked)
	}
}

// The stock client installs a small project through the mirror, and once more when
// the registry is gone and nothing is left of the client's own cache.
func TestNpmInstallsThroughTheMirrorAndThenOffline(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatalf("npm is needed, which `make test` brings: %v", err)
	}
	registry, dir := newFakeRegistry(t), t.TempDir()
	registry.publish(t, "@scope/fuel", "1.0.0", nil, nil)
	registry.publish(t, "engine", "1.2.0", map[string]any{"dependencies": map[string]string{"@scope/fuel": "^1.0.0"}}, nil)
	registry.publish(t, "engine", "1.1.0", nil, nil)
	for _, name := range []string{"engine", "@scope/fuel"} {
		registry.tagNewest(t, name)
	}
	npmInstalls(t, openMirror(t, dir, registry.URL).URL, "the registry there")
	registry.Close()
	npmInstalls(t, openMirror(t, dir, registry.URL).URL, "the registry gone")
}

func npmInstalls(t *testing.T, mirror, when string) {
	t.Helper()
	project, home := t.TempDir(), t.TempDir()
	manifest := `{"name":"small","version":"1.0.0","dependencies":{"engine":"^1.0.0"}}`
	if err := os.WriteFile(filepath.Join(project, "package.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "npm", "install", "--registry", mirror+"/", "--ignore-scripts", "--no-fund", "--fetch-retries", "0")
	command.Dir = project
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "npm_config_cache=" + filepath.Join(home, "cache"), "npm_config_update_notifier=false"}
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", when, err, output)
	}
	versions := versionsIn(t, project)
	wantVersion(t, versions, "engine", "engine@1.2.0")
	wantVersion(t, versions, "@scope/fuel", "@scope/fuel@1.0.0")
}

func FuzzDocumentsAreJSONWithTheMirrorsAddress(f *testing.F) {
	f.Add([]byte(`null`))
	f.Add([]byte(`{"versions":null}`))
	f.Add([]byte(`{"versions":{"1.0.0":{"name":"engine","version":"1.0.0","dist":null,"DIST":{"tarball":"x","integrity":"sha512-x"}}}}`))
	f.Add([]byte(`{"versions":{"1.0.0":{"name":"engine","version":"1.0.0","dist":{"tarball":"http://evil/","integrity":"sha512-x"}}},"readme":"a\nb <&> \u2028"}`))
	f.Add([]byte("{\n \"versions\": {\"1.0.0\": \n null}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		body, _, err := npm.Rewrite("engine", text)
		if err != nil {
			return
		}
		var document strings.Builder
		if err := npm.PutIn(&document, body, "http://mirror"); err != nil {
			t.Fatal(err)
		}
		for version, tarball := range tarballsOf(t, document.String()) {
			if want := "http://mirror/engine/-/engine-" + version + ".tgz"; tarball != want {
				t.Errorf("got the archive of %s at %q, want %q", version, tarball, want)
			}
		}
	})
}
