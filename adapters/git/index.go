package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// index is git's index file, versions 2 to 4. The entries keep the form of the file
// (version 4 is expanded), so that a change copies everything that it does not touch.
type index struct {
	version uint32
	// entries is the part between the header and the extensions. starts[i] is the offset
	// of entry i; the last element is the end.
	entries []byte
	starts  []int
	// modified is the file's modification time in nanoseconds since the Unix epoch, 0 if
	// there is no file.
	modified int64
}

// The offsets of an entry's fields. The name follows, or two more bytes of flags and then
// the name. 1 to 8 NULs end it.
const (
	indexName = "index"

	indexHeader = 12
	entryMtime  = 8
	entryMode   = 24
	entrySize   = 36
	entryHash   = 40
	entryFlags  = 60
	entryName   = 62

	flagExtended    = 0x4000
	flagIntentToAdd = 0x2000
)

// The modes of entries that this package writes or looks for.
const (
	modeFile       = 0o100644
	modeExecutable = 0o100755
	modeTree       = 0o40000
	modeSubmodule  = 0o160000
)

// errUnreadable marks an index that Repair rebuilds: damaged, missing although versions
// exist, or in a form (split, sparse) that this package does not read.
var errUnreadable = errors.New("index is not readable")

// readIndex reads the index. Before the first version the file may be missing.
func (r *repository) readIndex() (*index, error) {
	data, modified, err := readStamped(filepath.Join(r.git, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		if head, err := r.head(); err != nil || head.commit.IsZero() {
			return &index{version: 2, starts: []int{0}}, err
		}
		return nil, unreadable("it is missing")
	}
	if err != nil {
		return nil, err
	}
	parsed, err := parseIndex(data)
	if err != nil {
		return nil, err
	}
	parsed.modified = modified
	return parsed, nil
}

func readStamped(path string) (data []byte, modified int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	data = make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, 0, err
	}
	return data, info.ModTime().UnixNano(), nil
}

func unreadable(format string, args ...any) error {
	cause := fmt.Errorf("%w: %s", errUnreadable, fmt.Sprintf(format, args...))
	return core.Wrap(core.CodeUnavailable, cause, "the repository needs repair")
}

func parseIndex(data []byte) (*index, error) {
	end := len(data) - sha1.Size
	if end < indexHeader || string(data[:4]) != "DIRC" {
		return nil, unreadable("it has no header")
	}
	// With index.skipHash, git writes zeros for the checksum.
	if sum := sha1.Sum(data[:end]); !bytes.Equal(sum[:], data[end:]) && !bytes.Equal(data[end:], make([]byte, sha1.Size)) {
		return nil, unreadable("the checksum is wrong")
	}
	parsed := &index{version: binary.BigEndian.Uint32(data[4:])}
	count := int(binary.BigEndian.Uint32(data[8:]))
	body := data[indexHeader:end]
	var rest []byte
	var err error
	switch parsed.version {
	case 2, 3:
		rest, err = parsed.locate(body, count)
	case 4:
		parsed.version = 3
		rest, err = parsed.expand(body, count)
	default:
		err = unreadable("version %d is not known", parsed.version)
	}
	if err != nil {
		return nil, err
	}
	return parsed, checkExtensions(rest)
}

// locate finds the entries in body and returns the bytes that follow them.
func (x *index) locate(body []byte, count int) (rest []byte, err error) {
	if count > len(body)/entryName {
		return nil, unreadable("it is too short for its entries")
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
			return nil, unreadable("an entry is cut off")
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
		return 0, unreadable("an entry is cut off")
	}
	if binary.BigEndian.Uint16(entry[entryFlags:])&flagExtended != 0 {
		return entryName + 2, nil
	}
	return entryName, nil
}

// expand turns entries of version 4, which share a name prefix with the previous entry,
// into entries of version 3.
func (x *index) expand(body []byte, count int) (rest []byte, err error) {
	if count > len(body)/entryName {
		return nil, unreadable("it is too short for its entries")
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
			return nil, unreadable("an entry is cut off")
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
			return unreadable("an extension is cut off")
		}
		size := int64(binary.BigEndian.Uint32(data[4:]))
		if size > int64(len(data)-8) {
			return unreadable("an extension is cut off")
		}
		if data[0] < 'A' || data[0] > 'Z' {
			return unreadable("the extension %q is not known", data[:4])
		}
		data = data[8+size:]
	}
	return nil
}

func (x *index) len() int { return len(x.starts) - 1 }

func (x *index) entry(i int) entry { return x.entries[x.starts[i]:x.starts[i+1]] }

// find returns where the entries of name begin, or would begin.
func (x *index) find(name string) int {
	return sort.Search(x.len(), func(i int) bool { return string(x.entry(i).name()) >= name })
}

// staged returns the files in the index, as ports/vcs describes them.
func (x *index) staged() []vcs.StagedFile {
	files := make([]vcs.StagedFile, 0, x.len())
	for i := range x.len() {
		e := x.entry(i)
		path, err := core.ParsePath(string(e.name()))
		if err != nil || e.stage() != 0 || !e.isFile() {
			continue
		}
		files = append(files, vcs.StagedFile{Path: path, Size: int64(e.size()), ModifiedNano: e.modified()})
	}
	return files
}

// encode writes the index with the given edits, which are sorted by name; an edit
// without an entry removes what has its name.
func (x *index) encode(edits []edit) []byte {
	size := indexHeader + len(x.entries) + sha1.Size
	for _, e := range edits {
		size += len(e.entry)
	}
	out := append(make([]byte, 0, size), "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, x.version)
	out = binary.BigEndian.AppendUint32(out, 0)
	count, next := 0, 0
	for _, e := range edits {
		at := x.find(e.name)
		out = append(out, x.entries[x.starts[next]:x.starts[at]]...)
		count += at - next
		for next = at; next < x.len() && string(x.entry(next).name()) == e.name; {
			next++
		}
		if e.entry != nil {
			out = append(out, e.entry...)
			count++
		}
	}
	out = append(out, x.entries[x.starts[next]:]...)
	count += x.len() - next
	binary.BigEndian.PutUint32(out[8:], uint32(count))
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// edit is a change to one name of the index.
type edit struct {
	name  string
	entry entry
}

// entry is one entry of the index in its file form.
type entry []byte

// newEntry creates an entry. An entry with a zero stat matches no file, so git looks at
// the content.
func newEntry(name string, hash plumbing.Hash, mode uint32, stat unix.Stat_t) entry {
	e := make(entry, (entryName+len(name)+8)&^7)
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

func (e entry) flags() uint16 { return binary.BigEndian.Uint16(e[entryFlags:]) }

func (e entry) name() []byte {
	name := e[entryName:]
	if e.flags()&flagExtended != 0 {
		name = name[2:]
	}
	return name[:bytes.IndexByte(name, 0)]
}

// stage is 0, or 1 to 3 for the sides of a merge that the stock git client left open.
func (e entry) stage() int { return int(e.flags() >> 12 & 3) }

func (e entry) mode() uint32 { return binary.BigEndian.Uint32(e[entryMode:]) }

func (e entry) isFile() bool { return e.mode()&unix.S_IFMT == unix.S_IFREG }

func (e entry) size() uint32 { return binary.BigEndian.Uint32(e[entrySize:]) }

func (e entry) hash() (hash plumbing.Hash) {
	copy(hash[:], e[entryHash:])
	return hash
}

// modified is the file's modification time in nanoseconds since the Unix epoch.
func (e entry) modified() int64 {
	sec, nsec := binary.BigEndian.Uint32(e[entryMtime:]), binary.BigEndian.Uint32(e[entryMtime+4:])
	return int64(sec)*int64(time.Second) + int64(nsec)
}

// withoutSize returns a copy that matches no file but an empty one.
func (e entry) withoutSize() entry {
	changed := bytes.Clone(e)
	binary.BigEndian.PutUint32(changed[entrySize:], 0)
	return changed
}

// intentToAdd reports whether "git add -N" made the entry: a name without content.
func (e entry) intentToAdd() bool {
	return e.flags()&flagExtended != 0 && binary.BigEndian.Uint16(e[entryName:])&flagIntentToAdd != 0
}
