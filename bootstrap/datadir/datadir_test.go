package datadir

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/settings"
)

func TestSecretsAreMadeOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, second := settings.Settings{DataDir: dir}, settings.Settings{DataDir: dir}
	if err := FillSecrets(&first); err != nil {
		t.Fatal(err)
	}
	if err := FillSecrets(&second); err != nil {
		t.Fatal(err)
	}
	if string(first.JWTSecret) != string(second.JWTSecret) || string(first.EncryptionKey) != string(second.EncryptionKey) {
		t.Fatal("got other secrets at the second start")
	}
	if len(first.JWTSecret) < settings.MinSecretBytes || len(first.EncryptionKey) != settings.KeyBytes || string(first.JWTSecret) == string(first.EncryptionKey) {
		t.Fatal("got secrets of the wrong size, or twice the same one")
	}
	for _, name := range []string{"jwt.secret", "encryption.key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want mode 0600", name, info.Mode(), err)
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(dir, ".new-*"))
	if len(leftovers) != 0 {
		t.Errorf("got %v left behind", leftovers)
	}
}

func TestADamagedSecretStopsTheStart(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "encryption.key"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := FillSecrets(&settings.Settings{DataDir: dir}); err == nil || !strings.Contains(err.Error(), "encryption.key") {
		t.Fatalf("got %v, want a refusal that names the file", err)
	}
}

func TestSecretsOfTheEnvironmentWin(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", settings.KeyBytes)))
	values := map[string]string{"JWT_SECRET": strings.Repeat("s", settings.MinSecretBytes), "ENCRYPTION_KEY": key, "DATA_DIR": t.TempDir()}
	s, err := settings.Read(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := FillSecrets(&s); err != nil || string(s.JWTSecret) != strings.Repeat("s", settings.MinSecretBytes) {
		t.Fatalf("got %q, %v, want the environment's secret", s.JWTSecret, err)
	}
}

func TestAnotherFolderInThePlaceOfTheProjectsStopsTheStart(t *testing.T) {
	s := settings.Settings{DataDir: t.TempDir(), ProjectsRoot: "/projects"}
	for _, identity := range []string{"first", "first"} {
		if err := CheckProjectsRoot(s, identity); err != nil {
			t.Fatal(err)
		}
	}
	if err := CheckProjectsRoot(s, "empty mount point"); err == nil || !strings.Contains(err.Error(), "is its disk mounted?") {
		t.Fatalf("got %v, want a refusal", err)
	}
}
