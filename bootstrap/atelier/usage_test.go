package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/settings"
)

func TestHelpAndVersionAreAnswersNotMistakes(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help"}, {"serve", "--help"}, {"doctor", "-h"}} {
		if out, err := atelier(t, map[string]string{}, args...); err != nil || !strings.Contains(out, "Usage: atelier") || strings.Count(out, "Usage:") != 1 {
			t.Errorf("%v: got %q, %v, want the help once", args, out, err)
		}
	}
	for _, args := range [][]string{{"--version"}, {"version"}, {"--version", "serve"}} {
		if out, err := atelier(t, map[string]string{}, args...); err != nil || !strings.HasPrefix(out, "atelier ") {
			t.Errorf("%v: got %q, %v, want the version", args, out, err)
		}
	}
}

func TestLicensesAreToldWithoutSettings(t *testing.T) {
	out, err := atelier(t, map[string]string{"LISTEN_ADDR": "nonsense"}, "licenses")
	if err != nil || !strings.Contains(out, "Go module github.com/uptrace/bun ") || !strings.Contains(out, "npm package preact@") {
		t.Errorf("got %.200q, %v, want the licences of what is linked and carried", out, err)
	}
}

func TestAWrongPlaceIsOneLineWithItsVariable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]map[string]string{
		"SITES_DIR":     {"SITES_DIR": file + "/x"},
		"PROJECTS_ROOT": {"PROJECTS_ROOT": file + "/x"},
		"DATABASE_URL":  {"DATABASE_URL": "postgres://nobody:secret@127.0.0.1:1/x", "ENCRYPTION_KEY": strings.Repeat("k", 43) + "="},
		"TLS_KEY":       {"TLS": "files", "TLS_CERT": file, "TLS_KEY": file + "/x"},
		"TLS_CERT":      {"TLS": "files", "TLS_CERT": file, "TLS_KEY": file},
	} {
		env["PREPARE"], env["LISTEN_ADDR"] = "off", "127.0.0.1:0"
		_, err := atelier(t, env, "serve")
		if err == nil {
			t.Fatalf("%s: got no error", name)
		}
		if line := oneLine(err); !strings.HasPrefix(line, name) || strings.Contains(line, "\n") || strings.Contains(line, "secret@") {
			t.Errorf("got %q, want one line that begins with %s", line, name)
		}
	}
}

func TestAnEnvFileOfAnotherEditorIsReadWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("\ufeffMAX_FILE_BYTES=much\r\nLOG_LEVEL=\"info\"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := atelier(t, map[string]string{}, "--env-file", file, "migrate"); err == nil || !strings.HasPrefix(err.Error(), `MAX_FILE_BYTES is "much"`) {
		t.Errorf("got %v, want the first line read", err)
	}
	if err := os.WriteFile(file, []byte("LOG_LEVL=debug\r\nTLS_CERT=x\r\nACME_EMAIL=\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := atelier(t, map[string]string{}, "--env-file", file, "migrate")
	if err != nil || !strings.Contains(out, "LOG_LEVL") || strings.Contains(out, "TLS_CERT") {
		t.Errorf("got %q, %v, want the misspelt name told, and no other", out, err)
	}
}

// TestTheReadmeListsTheSettings compares the README's table with what the program reads.
func TestTheReadmeListsTheSettings(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n## Settings\n")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := settings.EnvFile{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, name := range regexp.MustCompile("`([A-Z][A-Z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				listed[name[1]] = "set"
			}
		}
	}
	if unknown := listed.Unknown(); len(unknown) > 0 || len(listed) < 60 {
		t.Errorf("got %d settings, of which the program knows nothing of %v", len(listed), unknown)
	}
	for name := range settings.Names() {
		if listed[name] == "" {
			t.Errorf("the program reads %s, want it in the table", name)
		}
	}
}
