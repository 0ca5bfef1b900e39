package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// temp is a complete, synced file that has not been renamed into place yet.
type temp struct {
	// path is "" once the file is in place.
	path string
	stat unix.Stat_t
}

// write creates a temporary file for a tree. It sets the modification time to the
// clock's, to the nanosecond: the kernel's own timestamps are as coarse as its timer
// ticks, so two contents could share one. A failure leaves nothing behind.
func (s *scratch) write(project string, content []byte) (*temp, error) {
	made := &temp{path: s.nameFor(project)}
	file, err := os.OpenFile(made.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(content)
	if err == nil {
		err = made.touch(unix.NsecToTimespec(time.Now().UnixNano()))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(made.path))
	}
	return made, nil
}

// succeed gives the file the permission of old to be executed, and a later time.
func (t *temp) succeed(old unix.Stat_t) error {
	if old.Mode&0o100 != 0 {
		if err := os.Chmod(t.path, fs.FileMode(old.Mode&0o777)); err != nil {
			return err
		}
	}
	if !later(t.stat.Mtim, old.Mtim) {
		next := old.Mtim
		next.Nsec++
		if next.Nsec == 1_000_000_000 {
			next.Sec, next.Nsec = next.Sec+1, 0
		}
		return t.touch(next)
	}
	return nil
}

// permit sets whether the file may be executed.
func (t *temp) permit(executable bool) error {
	if executable {
		return os.Chmod(t.path, 0o755)
	}
	return os.Chmod(t.path, 0o644)
}

// touch sets the modification time and describes the file again.
func (t *temp) touch(modified unix.Timespec) error {
	err := durable.Retried(func() error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, t.path, []unix.Timespec{modified, modified}, 0)
	})
	if err != nil {
		return err
	}
	return durable.Retried(func() error { return unix.Lstat(t.path, &t.stat) })
}

func later(a, b unix.Timespec) bool {
	return a.Sec > b.Sec || a.Sec == b.Sec && a.Nsec > b.Nsec
}
