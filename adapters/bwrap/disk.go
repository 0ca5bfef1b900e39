package bwrap

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clockStep is how far the modification time of a file may lag behind the clock.
const clockStep = 10 * time.Millisecond

// diskUse bounds what a command adds to the disk of its directories. Reading the disk's free
// space is quick, but others use the disk as well. So the command's own files are added up
// only once the loss exceeds the command's limit.
type diskUse struct {
	// dirs are the directories that the command may write to.
	dirs []string
	most int64
	// begun is when the command began. free is the free space from which a loss counts.
	begun time.Time
	free  int64
	// room returns the free space of the disk.
	room func(dir string) (int64, error)
}

func newDiskUse(most int64, dirs ...string) *diskUse {
	d := &diskUse{dirs: dirs, most: most, begun: time.Now(), room: freeBytes}
	d.free, _ = d.room(dirs[0])
	return d
}

// exceeded reports whether the command, whose first process is pid, has added more than it
// may. If the disk has less free space than one command may take, exceeded returns true
// without adding up files.
func (d *diskUse) exceeded(ctx context.Context, pid int) bool {
	free, err := d.room(d.dirs[0])
	if err != nil || d.free-free <= d.most {
		return false
	}
	if free < d.most {
		return true
	}
	added := written(ctx, d.begun.Add(-clockStep), d.dirs...)
	if added <= d.most {
		added += hidden(pid)
	}
	// Add up again when the rest of its room, or an eighth of the limit, may be used up.
	d.free = free + min(added, d.most-d.most/8)
	return added > d.most
}

// written adds up the disk space of all files that changed since.
func written(ctx context.Context, since time.Time, dirs ...string) (size int64) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			var stat unix.Stat_t
			if err == nil && unix.Lstat(name, &stat) == nil && !time.Unix(stat.Ctim.Unix()).Before(since) {
				size += stat.Blocks * 512
			}
			return nil // The file was removed meanwhile.
		})
	}
	return size
}

// removedMark follows the name of an open file that was removed.
const removedMark = " (deleted)"

// hidden adds up removed files that processes still hold: open files, and mapped files as
// far as they are mapped.
func hidden(root int) (size int64) {
	seen := map[uint64]bool{}
	count := func(inode uint64, bytes int64) {
		if !seen[inode] {
			seen[inode] = true
			size += bytes
		}
	}
	for waiting := []int{root}; len(waiting) > 0; {
		pid := waiting[len(waiting)-1]
		waiting = append(waiting[:len(waiting)-1], children(pid)...)
		home := "/proc/" + strconv.Itoa(pid)
		open, _ := filepath.Glob(home + "/fd/*")
		for _, fd := range open {
			var stat unix.Stat_t
			if unix.Stat(fd, &stat) == nil && stat.Nlink == 0 && stat.Mode&unix.S_IFMT == unix.S_IFREG {
				count(stat.Ino, stat.Blocks*512)
			}
		}
		maps, _ := os.ReadFile(home + "/maps")
		for line := range strings.Lines(string(maps)) {
			if inode, bytes, ok := removedMapping(strings.TrimSpace(line)); ok {
				count(inode, bytes)
			}
		}
	}
	return size
}

// removedMapping parses a line of a process's maps (proc_pid_maps(5)) and reports whether
// its file was removed.
func removedMapping(line string) (inode uint64, bytes int64, ok bool) {
	fields := strings.Fields(line)
	if !strings.HasSuffix(line, removedMark) || len(fields) < 6 {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	begin, err1 := strconv.ParseInt(from, 16, 64)
	end, err2 := strconv.ParseInt(to, 16, 64)
	inode, err3 := strconv.ParseUint(fields[4], 10, 64)
	return inode, end - begin, err1 == nil && err2 == nil && err3 == nil
}
