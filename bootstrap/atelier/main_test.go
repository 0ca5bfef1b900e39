package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/adapters/smtp/smtptest"
	"github.com/atelierhq/atelier/bootstrap/datadir"
)

// TestMain lets the test binary be the program that a sandbox starts, and a worker.
func TestMain(m *testing.M) {
	helpers := []string{bwrap.EnterCommand, buildworker.Command, dataworker.Command, functionworker.Command}
	if len(os.Args) > 1 && slices.Contains(helpers, os.Args[1]) {
		fmt.Fprintln(os.Stderr, run(context.Background(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// atelier runs one command line in a data directory of its own.
func atelier(t *testing.T, env map[string]string, args ...string) (out string, err error) {
	t.Helper()
	if env["DATA_DIR"] == "" {
		env["DATA_DIR"] = t.TempDir()
	}
	for _, picture := range []string{"THUMBNAILS", "BROWSING"} {
		if env[picture] == "" {
			env[picture] = "off"
		}
	}
	var written bytes.Buffer
	err = run(t.Context(), args, func(name string) string { return env[name] }, &written, &written)
	return written.String(), err
}

func TestWithoutACommandThereIsHelp(t *testing.T) {
	out, err := atelier(t, map[string]string{})
	if err != nil || !strings.Contains(out, "serve") || !strings.Contains(out, "doctor") {
		t.Fatalf("got %q, %v, want the commands", out, err)
	}
}

func TestVersionNamesVersionCommitAndGo(t *testing.T) {
	out, err := atelier(t, map[string]string{}, "version")
	if err != nil || !strings.Contains(out, "commit") || !strings.Contains(out, "go1") {
		t.Fatalf("got %q, %v, want version, commit and Go version", out, err)
	}
}

func TestTheServiceKnowsItsVersion(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir()}
	c, err := prepare(func(name string) string { return env[name] }, "", io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if c.settings.Version != version {
		t.Errorf("got the version %q, want %q, as the command prints it", c.settings.Version, version)
	}
}

func TestMistakesOnTheCommandLineAreNamed(t *testing.T) {
	for want, args := range map[string][]string{
		`no command "fly"`:               {"fly"},
		`takes no argument "x"`:          {"serve", "x"},
		`"x" is not the id of a project`: {"reconcile", "x"},
		"--env-file":                     {"--env-file", "/nonexistent", "doctor"},
		"flag provided but not def":      {"--loud", "serve"},
	} {
		if _, err := atelier(t, map[string]string{}, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", args, err, want)
		}
	}
}

func TestABadSettingStopsEveryCommandWithItsName(t *testing.T) {
	for _, command := range []string{"serve", "migrate", "doctor", "reconcile"} {
		_, err := atelier(t, map[string]string{"MAX_FILE_BYTES": "much"}, command)
		if err == nil || !strings.HasPrefix(err.Error(), "MAX_FILE_BYTES is \"much\"") {
			t.Errorf("%s: got %v, want one line that names MAX_FILE_BYTES", command, err)
		}
	}
}

func TestTheEnvFileGivesWhatTheEnvironmentDoesNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	content := "# comment\n\nLOG_LEVEL=loud\nMAX_FILE_BYTES=\"12\"\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := atelier(t, map[string]string{}, "--env-file", file, "migrate"); err == nil || !strings.HasPrefix(err.Error(), "LOG_LEVEL") {
		t.Fatalf("got %v, want the file's LOG_LEVEL refused", err)
	}
	if out, err := atelier(t, map[string]string{"LOG_LEVEL": "info"}, "--env-file", file, "migrate"); err != nil {
		t.Fatalf("got %q, %v, want the environment to win", out, err)
	}
	if err := os.WriteFile(file, []byte("no equals sign\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := atelier(t, map[string]string{}, "--env-file", file, "migrate"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Fatalf("got %v, want the line named", err)
	}
}

func TestDoctorChecksEachThingOnALine(t *testing.T) {
	out, err := atelier(t, map[string]string{"AI_PROVIDER": "demo"}, "doctor")
	if err != nil || strings.Contains(out, "FAIL") || !strings.Contains(out, "database") || !strings.Contains(out, "demo answers") {
		t.Fatalf("got %v\n%s\nwant everything ok", err, out)
	}
	out, err = atelier(t, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": "http://127.0.0.1:1"}, "doctor")
	if err == nil || !strings.Contains(out, "FAIL  AI provider") {
		t.Fatalf("got %v\n%s\nwant the AI provider to fail", err, out)
	}
}

// TestDoctorAndEvalLookForTheModel that AI_MODEL names.
func TestDoctorAndEvalLookForTheModel(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			_, _ = io.WriteString(w, `{"models":[{"name":"qwen:latest","model":"qwen:latest"}]}`)
		case "/api/show":
			_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer ollama.Close()
	for _, kind := range []string{"ollama", "auto"} {
		env := map[string]string{"AI_PROVIDER": kind, "OLLAMA_HOST": ollama.URL, "AI_MODEL": "no-such-model", "LOG_LEVEL": "error"}
		out, err := atelier(t, env, "doctor")
		if err == nil || !strings.Contains(out, "FAIL  AI provider") || !strings.Contains(out, "no-such-model") || !strings.Contains(out, "qwen:latest") {
			t.Errorf("%s: got %v\n%s\nwant doctor to fail, and to name what there is", kind, err, out)
		}
		if out, err := atelier(t, env, "eval", "-only", "change-text"); err == nil || !strings.Contains(err.Error(), "no-such-model") {
			t.Errorf("%s: got %v\n%s\nwant eval to fail before it begins", kind, err, out)
		}
		for _, model := range []string{"qwen", "qwen:latest", ""} {
			env["AI_MODEL"] = model
			if out, err := atelier(t, env, "doctor"); err != nil || !strings.Contains(out, "ollama answers") {
				t.Errorf("%s, %q: got %v\n%s\nwant everything ok", kind, model, err, out)
			}
		}
	}
}

func TestDoctorSaysHowCommandsRun(t *testing.T) {
	const works = "ok    sandbox          bubblewrap "
	for mode, want := range map[string]string{"auto": works, "bwrap": works, "off": "SANDBOX=off", "unsafe": "UNSAFE"} {
		if out, err := atelier(t, map[string]string{"SANDBOX": mode}, "doctor"); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %v\n%s\nwant %q", mode, err, out, want)
		}
	}
	out, err := atelier(t, map[string]string{"SANDBOX": "bwrap"}, "doctor")
	for _, want := range []string{"ok    namespaces", "ok    system calls", "ok    command limits", "ok    command network  none except a proxy"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("got %v\n%s\nwant %q", err, out, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	for mode, want := range map[string]string{"auto": "ok    sandbox          off: ", "bwrap": "FAIL  sandbox"} {
		out, err := atelier(t, map[string]string{"SANDBOX": mode}, "doctor")
		if (err != nil) != (mode == "bwrap") || !strings.Contains(out, want) || !strings.Contains(out, "apt install bubblewrap") {
			t.Errorf("%s without bubblewrap: got %v\n%s\nwant %q and what to install", mode, err, out, want)
		}
	}
}

func TestDoctorSaysHowMailsLeave(t *testing.T) {
	out, err := atelier(t, map[string]string{}, "doctor")
	if err != nil || !strings.Contains(out, "ok    mail             no mail server (SMTP_URL): mails are files in ") {
		t.Errorf("got %v\n%s\nwant the outbox named", err, out)
	}
	server := smtptest.Start(t, smtptest.Config{User: "ada", Password: "secret"})
	env := map[string]string{"SMTP_URL": "smtp://ada:secret@" + server.Address, "MAIL_FROM": "post@example.com"}
	out, err = atelier(t, env, "doctor")
	if err != nil || !strings.Contains(out, "ok    mail             smtp://"+server.Address+" takes mails from post@example.com") || strings.Contains(out, "secret") {
		t.Errorf("got %v\n%s\nwant the server named, without the password", err, out)
	}
	env["SMTP_URL"] = "smtp://ada:hunter2@" + server.Address
	out, err = atelier(t, env, "doctor")
	if err == nil || !strings.Contains(out, "FAIL  mail") || strings.Contains(out, "hunter2") {
		t.Errorf("got %v\n%s\nwant a wrong password to fail, and not to be shown", err, out)
	}
	if got := server.Mails(); len(got) > 0 {
		t.Errorf("got %d mails from checks, want none", len(got))
	}
}

func TestMigrateAndReconcileWorkOnFreshData(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir()}
	for _, command := range []string{"migrate", "migrate", "reconcile"} {
		if out, err := atelier(t, env, command); err != nil {
			t.Fatalf("%s: got %q, %v", command, out, err)
		}
	}
}

func TestTwoProcessesNeverShareADataDirectory(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir()}
	unlock, err := datadir.Lock(env["DATA_DIR"])
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := atelier(t, env, "serve"); err == nil || !strings.Contains(err.Error(), "in use by another atelier") {
		t.Errorf("serve: got %v, want a refusal", err)
	}
	for _, command := range []string{"reconcile", "migrate", "doctor"} {
		if out, err := atelier(t, env, command); err != nil {
			t.Errorf("%s beside it: got %v\n%s, want it to work", command, err, out)
		}
	}
}
