package git

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/nofollow"
)

// workTree is a project's directory, which has the repository in it.
type workTree string

// read reads a regular file and describes it. The description is
// zero if the file changed meanwhile. A missing file is an error that nofollow.IsAbsence
// recognizes, or has code core.CodePathTraversal.
func (t workTree) read(name string) ([]byte, unix.Stat_t, error) {
	file, before, err := t.open(name)
	if err != nil {
		return nil, unix.Stat_t{}, err
	}
	defer file.Close()
	content := bytes.NewBuffer(make([]byte, 0, before.Size+bytes.MinRead))
	if _, err := content.ReadFrom(file); err != nil {
		return nil, unix.Stat_t{}, err
	}
	stat, err := statUnchanged(file, before)
	return content.Bytes(), stat, err
}

// statIfSame describes a regular file that holds content. The
// description is zero if it holds something else.
func (t workTree) statIfSame(name string, content []byte) (unix.Stat_t, error) {
	file, before, err := t.open(name)
	if err != nil || before.Size != int64(len(content)) {
		return unix.Stat_t{}, err
	}
	defer file.Close()
	buffer := make([]byte, min(len(content), 1<<16))
	for rest := content; len(rest) > 0; {
		n, err := io.ReadFull(file, buffer[:min(len(buffer), len(rest))])
		if err != nil || !bytes.Equal(buffer[:n], rest[:n]) {
			return unix.Stat_t{}, nil
		}
		rest = rest[n:]
	}
	return statUnchanged(file, before)
}

func (t workTree) open(name string) (*os.File, unix.Stat_t, error) {
	fd, stat, err := nofollow.OpenRegular(string(t), name)
	if err != nil {
		return nil, stat, err
	}
	return os.NewFile(uintptr(fd), name), stat, nil
}

// statUnchanged returns before if the file still has the same stat.
func statUnchanged(file *os.File, before unix.Stat_t) (unix.Stat_t, error) {
	var after unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &after); err != nil {
		return unix.Stat_t{}, err
	}
	if after.Size != before.Size || after.Mtim != before.Mtim || after.Ctim != before.Ctim {
		return unix.Stat_t{}, nil
	}
	return after, nil
}
