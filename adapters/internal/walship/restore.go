package walship

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// baseName and segmentPrefix name the files of a durable directory. A log beside the base
// belongs to a process that used the directory directly.
const (
	baseName      = "data.db"
	logSuffix     = "-wal"
	segmentPrefix = "wal-"
)

// segments returns the numbers of a directory's segments in their order. It leaves alone whatever
// else is there, such as what a shared file system keeps of a removed file that is open.
func segments(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, entry := range entries {
		text, is := strings.CutPrefix(entry.Name(), segmentPrefix)
		number, err := strconv.Atoi(text)
		if is && err == nil && number > 0 && strconv.Itoa(number) == text && entry.Type().IsRegular() {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func segment(dir string, number int) string {
	return filepath.Join(dir, segmentPrefix+strconv.Itoa(number))
}

// logs returns the logs that follow a directory's base, in order.
func logs(dir string) ([]string, error) {
	numbers, err := segments(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	own := filepath.Join(dir, baseName+logSuffix)
	if _, err := os.Stat(own); err == nil {
		paths = append(paths, own)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, number := range numbers {
		paths = append(paths, segment(dir, number))
	}
	return paths, nil
}

// restore creates a database from the base and the logs of a directory, and returns the
// number of logs. The database need not survive a crash of the machine.
func restore(dir, database string) (int, error) {
	found, err := logs(dir)
	if err != nil {
		return 0, err
	}
	if err := copyFile(filepath.Join(dir, baseName), database); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(database, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	for _, path := range found {
		if err := apply(path, file); err != nil {
			return 0, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
	}
	return len(found), file.Close()
}

// apply writes the pages of a log's transactions to a database.
func apply(path string, database *os.File) error {
	log, err := os.Open(path)
	if err != nil {
		return err
	}
	defer log.Close()
	from, err := begin(log)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	end, err := lastCommit(log, from, nil)
	if err != nil || end.pages == 0 {
		return err
	}
	whole := io.NewSectionReader(log, 0, end.at.offset)
	if _, err := lastCommit(whole, from, func(number uint32, content []byte) error {
		_, err := database.WriteAt(content, int64(number-1)*from.pageSize)
		return err
	}); err != nil {
		return err
	}
	return database.Truncate(int64(end.pages) * from.pageSize)
}

// copyFile copies a file durably.
func copyFile(from, to string) error {
	content, err := os.Open(from)
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// replaceBase makes a closed or checkpointed database the base of a directory, and removes
// the logs that it contains. It removes the oldest first, so a crash leaves the newest.
func replaceBase(dir, database string) error {
	old, err := logs(dir)
	if err != nil {
		return err
	}
	base := filepath.Join(dir, baseName)
	if err := copyFile(database, base+".new"); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(base+".new", base), durable.SyncDir(dir)); err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
