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
	"syscall"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// baseName and segmentPrefix name the files of a durable directory. A log beside the base
// belongs to a process that used the directory directly.
const (
	baseName      = "data.db"
	logSuffix     = "-wal"
	segmentPrefix = "wal-"
)

// segments returns the numbers of a directory's segments, in order. It ignores other files, such
// as those that a shared file system keeps for removed files that are open.
func segments(dir fs.FS) ([]int, error) {
	entries, err := fs.ReadDir(dir, ".")
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

func segment(number int) string { return segmentPrefix + strconv.Itoa(number) }

// logs returns the names of the logs that follow a directory's base, in order.
func logs(dir fs.FS) ([]string, error) {
	numbers, err := segments(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	if _, err := fs.Stat(dir, baseName+logSuffix); err == nil {
		names = append(names, baseName+logSuffix)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, number := range numbers {
		names = append(names, segment(number))
	}
	return names, nil
}

// contents are the open files of a durable directory: what they hold now stays readable, whatever
// happens to their names.
type contents struct {
	base file
	logs []file
}

// file is an open file; content is what it had when it was opened.
type file struct {
	fs.File
	info    fs.FileInfo
	content *io.SectionReader
}

func openFile(dir fs.FS, name string) (file, error) {
	opened, err := dir.Open(name)
	if err != nil {
		return file{}, err
	}
	info, err := opened.Stat()
	content, is := opened.(io.ReaderAt)
	if err == nil && !is {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return file{}, errors.Join(err, opened.Close())
	}
	return file{opened, info, io.NewSectionReader(content, 0, info.Size())}, nil
}

// openAll opens what a directory holds. The caller closes it.
func openAll(dir fs.FS) (_ *contents, err error) {
	c := &contents{}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.base, err = openFile(dir, baseName); err != nil {
		return nil, err
	}
	names, err := logs(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		log, err := openFile(dir, name)
		if err != nil {
			return nil, err
		}
		c.logs = append(c.logs, log)
	}
	return c, nil
}

func (c *contents) close() {
	for _, one := range append(c.logs, c.base) {
		if one.File != nil {
			_ = one.Close()
		}
	}
}

// restore creates a database from the base and the logs. It need not survive a crash of the machine.
func (c *contents) restore(database string) error {
	to, err := os.OpenFile(database, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	// Of two files, the kernel copies.
	_, err = to.ReadFrom(c.base.File)
	for _, log := range c.logs {
		if err == nil {
			if err = apply(log.content, to); err != nil {
				err = fmt.Errorf("%s: %w", log.info.Name(), err)
			}
		}
	}
	return errors.Join(err, to.Close())
}

// maxCopies bounds how often Copy begins again.
const maxCopies = 100

// Copy creates a database from the base and the logs of a durable directory, as of one moment. An
// opener may ship to the directory meanwhile. The copy has all transactions that were shipped before.
func Copy(dir fs.FS, database string) error {
	var err error
	for range maxCopies {
		if err = copyOnce(dir, database); !isReplaced(err) {
			return err
		}
		if _, none := fs.Stat(dir, baseName); errors.Is(none, fs.ErrNotExist) {
			return none
		}
	}
	return fmt.Errorf("the database keeps being replaced: %w", err)
}

func copyOnce(dir fs.FS, database string) error {
	c, err := openAll(dir)
	if err != nil {
		return err
	}
	defer c.close()
	// The base was not replaced while the files were opened, so they are one database. Logs that
	// the base contains are removed oldest first; applying the others again changes nothing.
	present, err := fs.Stat(dir, baseName)
	if err == nil && !os.SameFile(present, c.base.info) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	return c.restore(database)
}

// isReplaced reports whether a file was removed, here or on another machine.
func isReplaced(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE)
}

// apply writes the pages of a log's transactions to a database.
func apply(log io.ReaderAt, database *os.File) error {
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
	old, err := logs(os.DirFS(dir))
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
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
