// Package pebble runs an ACME authority for tests: Let's Encrypt's Pebble, which
// asks as the real one does, and its name server, which says what tests tell it.
package pebble

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// The programs, and the version of their module.
const (
	module    = "github.com/letsencrypt/pebble/v2"
	version   = "v2.10.1"
	authority = "pebble"
	names     = "pebble-challtestsrv"
)

// install returns the folder of the programs. The first test that calls it builds them,
// for all later ones on the machine; others wait.
func install(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "atelier-tests", authority+"-"+version)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	part := folder + ".part"
	if err := build(part); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(part, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// build runs outside of any module, because the programs are not part of this one.
func build(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	command := exec.Command("go", "install", module+"/cmd/"+authority+"@"+version, module+"/cmd/"+names+"@"+version)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOBIN="+folder, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests need %s %s, which go install does not bring: %w\n%s", module, version, err, out)
	}
	return nil
}
