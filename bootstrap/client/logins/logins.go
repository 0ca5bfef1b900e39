package logins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// Login is what is kept of an installation.
type Login struct {
	remote.Credential
	// Person is the e-mail address of whom the credential belongs to, "" if unknown.
	Person string `json:"person,omitempty"`
	// PlainHTTP says that the person allowed http:// for this installation.
	PlainHTTP bool `json:"plainHttp,omitempty"`
}

// Logins are all installations, by their address.
type Logins struct {
	// Current is the address of the installation that commands call if nothing names one.
	Current       string           `json:"current"`
	Installations map[string]Login `json:"installations"`
}

// File is the file that keeps them.
type File struct{ path string }

// At returns the file in a configuration folder.
func At(folder string) *File { return &File{filepath.Join(folder, "atelier", "logins.json")} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Read returns what the file holds, nothing if there is none.
func (f *File) Read() (Logins, error) {
	found := Logins{Installations: map[string]Login{}}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return found, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return found, fmt.Errorf("other users of this machine can read %s: run chmod 600 on it, and replace the tokens in it if somebody may have", f.path)
	}
	if err := json.NewDecoder(file).Decode(&found); err != nil {
		return found, fmt.Errorf("%s is damaged: remove it and sign in again", f.path)
	}
	if found.Installations == nil {
		found.Installations = map[string]Login{}
	}
	return found, nil
}

// Change replaces the file by what change makes of its content, under a lock. An error of
// change leaves it as it is.
func (f *File) Change(change func(*Logins) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	held, err := f.Read()
	if err != nil {
		return err
	}
	if err := change(&held); err != nil {
		return err
	}
	return f.replace(held)
}

// replace writes the file anew. CreateTemp makes files of mode 0600.
func (f *File) replace(held Logins) error {
	text, err := json.MarshalIndent(held, "", "  ")
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(f.path), "logins-*")
	if err != nil {
		return err
	}
	_, err = next.Write(append(text, '\n'))
	if err == nil {
		err = next.Sync()
	}
	err = errors.Join(err, next.Close())
	if err == nil {
		err = os.Rename(next.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}
