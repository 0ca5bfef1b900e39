package agent_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

func loadSettings(env map[string]string) (settings.Settings, error) {
	return settings.Read(func(name string) string { return env[name] })
}

func TestRecordingIsOffUnlessAFolderIsNamed(t *testing.T) {
	s, err := loadSettings(map[string]string{})
	if err != nil || s.Recording != (settings.Recording{}) {
		t.Errorf("got %+v and %v, want it off", s.Recording, err)
	}
	s, err = loadSettings(map[string]string{"AI_RECORD": "recordings", "AI_RECORD_IMAGES": "on"})
	if err != nil || !filepath.IsAbs(s.Recording.Dir) || filepath.Base(s.Recording.Dir) != "recordings" || !s.Recording.Images {
		t.Errorf("got %+v and %v, want the folder and images", s.Recording, err)
	}
	for name, env := range map[string]map[string]string{
		"without a folder": {"AI_RECORD_IMAGES": "on"},
		"another word":     {"AI_RECORD": "x", "AI_RECORD_IMAGES": "yes"},
	} {
		if _, err := loadSettings(env); err == nil || !strings.HasPrefix(err.Error(), "AI_RECORD_IMAGES is ") {
			t.Errorf("%s: got %v, want AI_RECORD_IMAGES refused", name, err)
		}
	}
}

func TestWithoutAFolderNothingIsRecordedOrSaid(t *testing.T) {
	var log bytes.Buffer
	factory, release, err := bootstrap.Models(settings.Settings{}, bootstrap.NewVendors(memory.NewGuard(), nil), time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, plain := factory.(*bootstrap.Vendors); !plain || log.Len() > 0 {
		t.Errorf("got a %T and the log %q, want the vendors themselves and nothing said", factory, log.String())
	}
}

func TestARecordingSaysThatItIsMadeAndHoldsNoKey(t *testing.T) {
	const key, reply = "sk-recorded-4fd1c2b3", "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "who are you with "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, reply)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "recordings")
	env := map[string]string{"AI_RECORD": dir, "AI_PROVIDER": "openai", "AI_API_KEY": key, "AI_BASE_URL": server.URL + "/v1"}
	settings, err := loadSettings(env)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	factory, release, err := bootstrap.Models(settings, bootstrap.NewVendors(memory.NewGuard(), nil), time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "IS RECORDED") || !strings.Contains(log.String(), dir) {
		t.Errorf("got the log %q, want a warning with the file", log.String())
	}
	request := ai.Request{Model: "m", Messages: []ai.Message{{Role: ai.RoleUser, Text: "Hi"}}}
	ask := func(provider ai.Provider) error {
		_, err := provider.Generate(t.Context(), request, func(ai.Chunk) error { return nil })
		return err
	}
	for used, want := range map[string]core.Code{key: "", "sk-wrong-1234": core.CodeModelUnavailable} {
		provider, err := factory.Open(ai.Settings{Kind: core.ProviderOpenAI, BaseURL: server.URL + "/v1", Key: used, Trusted: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(provider); core.CodeOf(err) != want {
			t.Fatalf("got %v, want the code %q", err, want)
		}
	}
	wantRecording(t, dir, key, "sk-wrong-1234", strings.TrimPrefix(server.URL, "http://"))
}

// wantRecording looks for one recording of two exchanges, without the secrets.
func wantRecording(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %q and %v, want one file", found, err)
	}
	written, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if bytes.Contains(written, []byte(secret)) {
			t.Errorf("the recording holds %q:\n%s", secret, written)
		}
	}
	replayer, err := recording.Replay(found[0])
	if err != nil || replayer.Left() != 2 || replayer.Kind() != core.ProviderOpenAI {
		t.Errorf("got %v and\n%s\nwant two exchanges", err, written)
	}
}

func TestAFolderThatCannotHoldRecordingsStopsTheStart(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := settings.Settings{Recording: settings.Recording{Dir: taken}}
	_, _, err := bootstrap.Models(s, bootstrap.NewVendors(memory.NewGuard(), nil), time.Now, slog.New(slog.DiscardHandler))
	if err == nil || !strings.HasPrefix(err.Error(), "AI_RECORD: ") {
		t.Errorf("got %v, want AI_RECORD named", err)
	}
}

func TestTheServiceRecordsItsRuns(t *testing.T) {
	dir := t.TempDir()
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_RECORD": dir}).SignUp().Create("static-html")
	w.Send("Change the heading to Ahoy")
	found, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %q and %v, want one recording", found, err)
	}
	replayer, err := recording.Replay(found[0])
	if err != nil || replayer.Left() < 3 || replayer.Kind() != core.ProviderDemo {
		t.Errorf("got %v, want each call of the run", err)
	}
}
