package regexsearch

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

const (
	// maxLineBytes is how much of a line is searched.
	maxLineBytes = 64 << 10
	// sniffedBytes is how many bytes are checked for a NUL byte, which makes a file
	// binary.
	sniffedBytes = 8 << 10
	// bufferBytes is how much of a file is in memory at a time: many lines of maximum
	// length.
	bufferBytes = 1 << 20
)

type buffer [bufferBytes]byte

// search returns the matches in some files, at most one more than the limit.
func (j *job) search(paths []core.ProjectPath) ([]core.Match, error) {
	s := scanner{job: j, finder: finder{literals: j.pattern.required}, buffer: j.engine.buffers.Get().(*buffer)}
	defer j.engine.buffers.Put(s.buffer)
	for _, path := range paths {
		if err := s.file(path); err != nil {
			return nil, err
		}
		if len(s.matches) > j.limit {
			break
		}
	}
	return s.matches, nil
}

// scanner searches one file after the other.
type scanner struct {
	job     *job
	finder  finder
	buffer  *buffer
	matches []core.Match
	// cost is the work since the last check.
	cost int64

	path core.ProjectPath
	// lines is the number of lines before the current block.
	lines int
}

func (s *scanner) file(path core.ProjectPath) error {
	file, err := s.job.files.Open(path.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	left, err := sizeOf(file)
	if err != nil {
		return err
	}
	s.path, s.lines = path, 0
	for kept, first := 0, true; left > 0 && len(s.matches) <= s.job.limit; first = false {
		if err := s.check(); err != nil {
			return err
		}
		n, err := io.ReadFull(file, s.buffer[kept:kept+int(min(left, int64(bufferBytes-kept)))])
		short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !short {
			return unreadable(err)
		}
		if left -= int64(n); short {
			left = 0
		}
		read := s.buffer[:kept+n]
		if first && bytes.IndexByte(read[:min(len(read), sniffedBytes)], 0) >= 0 {
			return nil
		}
		rest, err := s.blocks(read, left == 0)
		if err != nil {
			return err
		}
		kept = copy(s.buffer[:], rest)
	}
	return nil
}

// sizeOf returns how much of a file is searched: its size when it was opened. Not reading
// its end of file saves one system call in four.
func sizeOf(file fs.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, unreadable(err)
	}
	return info.Size(), nil
}

func unreadable(err error) error {
	return core.Wrap(core.CodeUnavailable, err, "a file cannot be read")
}

// blocks searches the complete lines of what was read. It returns the rest: the searched
// part of a line that continues.
func (s *scanner) blocks(read []byte, last bool) ([]byte, error) {
	block, rest := read, read[len(read):]
	if end := bytes.LastIndexByte(read, '\n') + 1; !last {
		block, rest = read[:end], read[end:]
	}
	rest = rest[:min(len(rest), maxLineBytes)]
	return rest, s.block(dropCarriageReturns(cutLongLines(block)))
}

// cutLongLines removes, in place, the part of each line that is not searched.
func cutLongLines(block []byte) []byte {
	kept := 0
	for start := 0; start < len(block); {
		if len(block)-start <= maxLineBytes {
			return block[:kept+move(block, kept, start, len(block))]
		}
		end := start + bytes.LastIndexByte(block[start:start+maxLineBytes], '\n') + 1
		if end > start {
			kept += move(block, kept, start, end)
			start = end
			continue
		}
		cut := start + maxLineBytes
		kept += move(block, kept, start, cut)
		end = bytes.IndexByte(block[cut:], '\n')
		if end < 0 {
			break
		}
		start = cut + end
	}
	return block[:kept]
}

// move copies block[from:to] to kept, which is not after it.
func move(block []byte, kept, from, to int) int {
	if kept == from {
		return to - from
	}
	return copy(block[kept:], block[from:to])
}

// dropCarriageReturns turns Windows line endings into single bytes, in place.
func dropCarriageReturns(block []byte) []byte {
	if bytes.IndexByte(block, '\r') < 0 {
		return block
	}
	kept := 0
	for start := 0; ; {
		at := bytes.Index(block[start:], []byte("\r\n"))
		if at < 0 {
			return block[:kept+move(block, kept, start, len(block))]
		}
		kept += move(block, kept, start, start+at)
		start += at + 1
	}
}

// block searches complete lines.
func (s *scanner) block(block []byte) error {
	s.finder.begin(block)
	counted, lines := 0, s.lines
	for at := 0; at < len(block) && len(s.matches) <= s.job.limit; {
		hit, err := s.next(block, at)
		if err != nil {
			return err
		}
		if hit.end < 0 {
			break
		}
		lines += bytes.Count(block[counted:hit.start], []byte{'\n'})
		counted = hit.start
		s.matches = append(s.matches, core.Match{
			Path: s.path, Line: lines + 1, Column: hit.match - hit.start + 1, Text: shown(block[hit.start:hit.end]),
		})
		at = hit.end + 1
	}
	s.lines = lines + bytes.Count(block[counted:], []byte{'\n'})
	return nil
}

// shown returns a line in the form of the result: cut at 500 characters, with the
// replacement character for each invalid UTF-8 byte.
func shown(line []byte) string {
	cut := len(line)
	if cut > search.MaxLineChars {
		cut = 0
		for range search.MaxLineChars {
			_, size := utf8.DecodeRune(line[cut:])
			cut += size
		}
	}
	if !utf8.Valid(line[:cut]) {
		return string([]rune(string(line[:cut])))
	}
	return string(line[:cut])
}

// hit is a line and the offset in it at which the first match begins. If there is none,
// end is -1.
type hit struct{ start, end, match int }

// next finds the first line from at on that matches.
func (s *scanner) next(block []byte, at int) (hit, error) {
	for at < len(block) {
		start, found := at, at
		if len(s.finder.literals.texts) > 0 {
			if found = s.finder.next(at); found == len(block) {
				break
			}
			start = at + bytes.LastIndexByte(block[at:found], '\n') + 1
		}
		end := lineEnd(block, found)
		match, err := s.leftmost(block[start:end])
		if err != nil {
			return hit{}, err
		}
		if match >= 0 {
			return hit{start, end, start + match}, nil
		}
		at = end + 1
	}
	return hit{end: -1}, nil
}

const (
	// maxCost bounds the work of one search: the bytes on which the pattern runs, times its size.
	// That is at most about 5 s of a processor, and lets an ordinary pattern run on 50 MB.
	maxCost = 1_000_000_000
	// checkedCost is how much of it passes between checks of the bound and the context. An ordinary
	// pattern runs on about 64 KiB in that time.
	checkedCost = 1 << 20
)

// check returns the context's error, or one with code core.CodeInvalidRegex if the pattern costs too
// much.
func (s *scanner) check() error {
	total := s.job.cost.Add(s.cost)
	s.cost = 0
	if total > maxCost {
		return core.Errorf(core.CodeInvalidRegex, "the pattern is too expensive to search for")
	}
	return s.job.ctx.Err()
}

// leftmost returns the offset of the leftmost match in a line, or -1.
func (s *scanner) leftmost(line []byte) (int, error) {
	s.cost += int64(len(line)+1) * int64(s.job.pattern.size)
	if s.cost >= checkedCost {
		if err := s.check(); err != nil {
			return 0, err
		}
	}
	if at := s.job.pattern.FindIndex(line); at != nil {
		return at[0], nil
	}
	return -1, nil
}

func lineEnd(block []byte, from int) int {
	if end := bytes.IndexByte(block[from:], '\n'); end >= 0 {
		return from + end
	}
	return len(block)
}
