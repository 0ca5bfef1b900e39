// Package index reads and writes git's index file, which lists what is staged. Unlike
// go-git, it keeps the entries in the form of the file: to stage one file of ten thousand
// must not cost more than it costs the stock client.
package index

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// File is git's index file, versions 2 to 4. The entries keep the form of the file
// (version 4 is expanded), so that a change copies everything that it does not touch.
type File struct {
	version uint32
	// entries is the part between the header and the extensions. starts[i] is the offset
	// of entry i; the last element is the end.
	entries []byte
	starts  []int
	// Modified is the file's modification time in nanoseconds since the Unix epoch, 0 if
	// there is no file.
	Modified int64
}

// The size of the file's header, and the offsets of an entry's fields. The name follows,
// or two more bytes of flags and then the name. 1 to 8 NULs end it.
const (
	headerBytes = 12
	entryMtime  = 8
	entryMode   = 24
	entrySize   = 36
	entryHash   = 40
	entryFlags  = 60
	entryName   = 62

	flagExtended    = 0x4000
	flagIntentToAdd = 0x2000
)

// ErrUnreadable marks an index that a repair rebuilds: damaged, missing although versions
// exist, or in a form (split, sparse) that this package does not read.
var ErrUnreadable = errors.New("index is not readable")

// Read reads an index file. A missing file is fs.ErrNotExist.
func Read(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	parsed, err := Parse(data)
	if err != nil {
		return nil, err
	}
	parsed.Modified = info.ModTime().UnixNano()
	return parsed, nil
}

// New returns an index without entries.
func New() *File { return &File{version: 2, starts: []int{0}} }

// Unreadable returns an ErrUnreadable with a reason, of code core.CodeUnavailable.
func Unreadable(format string, args ...any) error {
	cause := fmt.Errorf("%w: %s", ErrUnreadable, fmt.Sprintf(format, args...))
	return core.Wrap(core.CodeUnavailable, cause, "the repository needs repair")
}

// Parse parses an index.
func Parse(data []byte) (*File, error) {
	end := len(data) - sha1.Size
	if end < headerBytes || string(data[:4]) != "DIRC" {
		return nil, Unreadable("it has no header")
	}
	// With index.skipHash, git writes zeros for the checksum.
	if sum := sha1.Sum(data[:end]); !bytes.Equal(sum[:], data[end:]) && !bytes.Equal(data[end:], make([]byte, sha1.Size)) {
		return nil, Unreadable("the checksum is wrong")
	}
	parsed := &File{version: binary.BigEndian.Uint32(data[4:])}
	count := int(binary.BigEndian.Uint32(data[8:]))
	body := data[headerBytes:end]
	var rest []byte
	var err error
	switch parsed.version {
	case 2, 3:
		rest, err = parsed.locate(body, count)
	case 4:
		parsed.version = 3
		rest, err = parsed.expand(body, count)
	default:
		err = Unreadable("version %d is not known", parsed.version)
	}
	if err != nil {
		return nil, err
	}
	return parsed, checkExtensions(rest)
}

// locate finds the entries in body and returns the bytes that follow them.
func (x *File) locate(body []byte, count int) (rest []byte, err error) {
	if count > len(body)/entryName {
		return nil, Unreadable("it is too short for its entries")
	}
	x.starts = make([]int, 0, count+1)
	at := 0
	for range count {
		x.starts = append(x.starts, at)
		name, err := nameOffset(body[at:])
		if err != nil {
			return nil, err
		}
		length := bytes.IndexByte(body[at+name:], 0)
		size := (name + length + 8) &^ 7
		if length < 0 || at+size > len(body) {
			return nil, Unreadable("an entry is cut off")
		}
		at += size
	}
	x.starts = append(x.starts, at)
	x.entries = body[:at]
	return body[at:], nil
}

// nameOffset returns the offset of the name in an entry.
func nameOffset(entry []byte) (int, error) {
	if len(entry) < entryName+2 {
		return 0, Unreadable("an entry is cut off")
	}
	if binary.BigEndian.Uint16(entry[entryFlags:])&flagExtended != 0 {
		return entryName + 2, nil
	}
	return entryName, nil
}

// expand turns entries of version 4, which share a name prefix with the previous entry,
// into entries of version 3.
func (x *File) expand(body []byte, count int) (rest []byte, err error) {
	if count > len(body)/entryName {
		return nil, Unreadable("it is too short for its entries")
	}
	var last []byte
	for range count {
		offset, err := nameOffset(body)
		if err != nil {
			return nil, err
		}
		drop, width := prefixDrop(body[offset:])
		suffix := body[min(offset+width, len(body)):]
		length := bytes.IndexByte(suffix, 0)
		if width == 0 || drop > len(last) || length < 0 {
			return nil, Unreadable("an entry is cut off")
		}
		name := append(bytes.Clone(last[:len(last)-drop]), suffix[:length]...)
		x.starts = append(x.starts, len(x.entries))
		x.entries = append(append(x.entries, body[:offset]...), name...)
		for range 8 - (offset+len(name))%8 {
			x.entries = append(x.entries, 0)
		}
		last, body = name, suffix[length+1:]
	}
	x.starts = append(x.starts, len(x.entries))
	return body, nil
}

// prefixDrop reads git's variable-width number. width is 0 if the number is cut off.
func prefixDrop(data []byte) (value, width int) {
	for i, b := range data {
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, i + 1
		}
		if i == 4 {
			break
		}
		value++
	}
	return 0, 0
}

// checkExtensions refuses an index with a mandatory extension, whose name is in lower
// case. The others are caches, which are dropped when the index is written.
func checkExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return Unreadable("an extension is cut off")
		}
		size := int64(binary.BigEndian.Uint32(data[4:]))
		if size > int64(len(data)-8) {
			return Unreadable("an extension is cut off")
		}
		if data[0] < 'A' || data[0] > 'Z' {
			return Unreadable("the extension %q is not known", data[:4])
		}
		data = data[8+size:]
	}
	return nil
}

// Len returns the number of entries.
func (x *File) Len() int { return len(x.starts) - 1 }

// Entry returns an entry. Entries are sorted by name.
func (x *File) Entry(i int) Entry { return x.entries[x.starts[i]:x.starts[i+1]] }

// Find returns where the entries of name begin, or would begin.
func (x *File) Find(name string) int {
	return sort.Search(x.Len(), func(i int) bool { return string(x.Entry(i).Name()) >= name })
}

// Staged returns the files in the index, as ports/vcs describes them.
func (x *File) Staged() []vcs.StagedFile {
	files := make([]vcs.StagedFile, 0, x.Len())
	for i := range x.Len() {
		e := x.Entry(i)
		path, err := core.ParsePath(string(e.Name()))
		if err != nil || e.Stage() != 0 || !e.IsFile() {
			continue
		}
		files = append(files, vcs.StagedFile{Path: path, Size: int64(e.Size()), ModifiedNano: e.Modified()})
	}
	return files
}

// Encode writes the index with the given edits, which are sorted by name; an edit
// without an entry removes what has its name.
func (x *File) Encode(edits []Edit) []byte {
	size := headerBytes + len(x.entries) + sha1.Size
	for _, e := range edits {
		size += len(e.Entry)
	}
	out := append(make([]byte, 0, size), "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, x.version)
	out = binary.BigEndian.AppendUint32(out, 0)
	count, next := 0, 0
	for _, e := range edits {
		at := x.Find(e.Name)
		out = append(out, x.entries[x.starts[next]:x.starts[at]]...)
		count += at - next
		for next = at; next < x.Len() && string(x.Entry(next).Name()) == e.Name; {
			next++
		}
		if e.Entry != nil {
			out = append(out, e.Entry...)
			count++
		}
	}
	out = append(out, x.entries[x.starts[next]:]...)
	count += x.Len() - next
	binary.BigEndian.PutUint32(out[8:], uint32(count))
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// Edit is a change to one name of the index.
type Edit struct {
	Name  string
	Entry Entry
}

// Entry is one entry of the index in its file form.
type Entry []byte

// NewEntry creates an entry. An entry with a zero stat matches no file, so git looks at
// the content.
func NewEntry(name string, hash plumbing.Hash, mode uint32, stat unix.Stat_t) Entry {
	e := make(Entry, (entryName+len(name)+8)&^7)
	for i, field := range []uint32{
		uint32(stat.Ctim.Sec), uint32(stat.Ctim.Nsec), uint32(stat.Mtim.Sec), uint32(stat.Mtim.Nsec),
		uint32(stat.Dev), uint32(stat.Ino), mode, stat.Uid, stat.Gid, uint32(stat.Size),
	} {
		binary.BigEndian.PutUint32(e[4*i:], field)
	}
	copy(e[entryHash:], hash[:])
	binary.BigEndian.PutUint16(e[entryFlags:], uint16(min(len(name), 0xfff)))
	copy(e[entryName:], name)
	return e
}

func (e Entry) flags() uint16 { return binary.BigEndian.Uint16(e[entryFlags:]) }

// Name is the path of the file.
func (e Entry) Name() []byte {
	name := e[entryName:]
	if e.flags()&flagExtended != 0 {
		name = name[2:]
	}
	return name[:bytes.IndexByte(name, 0)]
}

// Stage is 0, or 1 to 3 for the sides of a merge that the stock git client left open.
func (e Entry) Stage() int { return int(e.flags() >> 12 & 3) }

// Mode is the mode of the file in a version.
func (e Entry) Mode() uint32 { return binary.BigEndian.Uint32(e[entryMode:]) }

// IsFile reports whether the entry is of a regular file, neither a link nor a submodule.
func (e Entry) IsFile() bool { return e.Mode()&unix.S_IFMT == unix.S_IFREG }

// Size is the size of the file when it was staged, modulo 1<<32.
func (e Entry) Size() uint32 { return binary.BigEndian.Uint32(e[entrySize:]) }

// Hash is the name of the blob.
func (e Entry) Hash() (hash plumbing.Hash) {
	copy(hash[:], e[entryHash:])
	return hash
}

// Modified is the file's modification time in nanoseconds since the Unix epoch.
func (e Entry) Modified() int64 {
	sec, nsec := binary.BigEndian.Uint32(e[entryMtime:]), binary.BigEndian.Uint32(e[entryMtime+4:])
	return int64(sec)*int64(time.Second) + int64(nsec)
}

// WithoutSize returns a copy that matches no file but an empty one.
func (e Entry) WithoutSize() Entry {
	changed := bytes.Clone(e)
	binary.BigEndian.PutUint32(changed[entrySize:], 0)
	return changed
}

// IsExtended reports whether the entry has flags that only newer versions know.
func (e Entry) IsExtended() bool { return e.flags()&flagExtended != 0 }

// IntentToAdd reports whether "git add -N" made the entry: a name without content.
func (e Entry) IntentToAdd() bool {
	return e.flags()&flagExtended != 0 && binary.BigEndian.Uint16(e[entryName:])&flagIntentToAdd != 0
}
