package files

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Listing is the list of a project's files at one moment. It is shared: callers
// must not change it.
type Listing struct {
	// Entries are sorted by path, byte by byte.
	Entries []core.FileEntry

	revision int64
	flat     rendering
	tree     rendering
}

// Document is a listing as JSON, with the entity tag of its bytes.
type Document struct {
	JSON []byte
	ETag string
}

// rendering is a document that is rendered on first use.
type rendering struct {
	once     sync.Once
	document Document
}

func (r *rendering) get(render func() []byte) Document {
	r.once.Do(func() {
		body := render()
		sum := sha256.Sum256(body)
		r.document = Document{JSON: body, ETag: quoteTag(sum[:])}
	})
	return r.document
}

// Flat returns the array of file entries.
func (l *Listing) Flat() Document {
	return l.flat.get(func() []byte {
		out := make([]byte, 0, 160*len(l.Entries)+2)
		out = append(out, '[')
		for i, entry := range l.Entries {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, `{"path":"`...)
			out = append(out, entry.Path.String()...)
			out = appendRest(out, entry)
		}
		return append(out, ']')
	})
}

// Tree returns the entries as nested directories: in each, directories come
// first, then files, both by name.
func (l *Listing) Tree() Document {
	return l.tree.get(func() []byte {
		return appendDirectory(make([]byte, 0, 200*len(l.Entries)+64), "", l.Entries)
	})
}

// appendDirectory writes the directory dir, which holds exactly entries.
func appendDirectory(out []byte, dir string, entries []core.FileEntry) []byte {
	out = append(out, `{"name":"`...)
	out = append(out, dir[strings.LastIndexByte(dir, '/')+1:]...)
	out = append(out, `","path":"`...)
	out = append(out, dir...)
	out = append(out, `","type":"directory","children":[`...)
	for i, child := range childrenOf(dir, entries) {
		if i > 0 {
			out = append(out, ',')
		}
		if child.isDir {
			out = appendDirectory(out, child.path, child.entries)
			continue
		}
		out = append(out, `{"name":"`...)
		out = append(out, child.entries[0].Path.Base()...)
		out = append(out, `","path":"`...)
		out = append(out, child.path...)
		out = append(out, `","type":"file`...)
		out = appendRest(out, child.entries[0])
	}
	return append(out, "]}"...)
}

// appendRest writes the rest of an entry after its path. Neither a path nor the
// text of a tag has a character that JSON escapes.
func appendRest(out []byte, entry core.FileEntry) []byte {
	out = append(out, `","size":`...)
	out = strconv.AppendInt(out, entry.Size, 10)
	out = append(out, `,"updatedAt":"`...)
	out = appendTime(out, entry.UpdatedAt)
	out = append(out, `","etag":"\"`...)
	out = append(out, strings.Trim(entry.ETag, `"`)...)
	return append(out, `\""}`...)
}

// appendTime writes the JSON form of a time, without quotes. It uses the one layout
// that the standard library formats fast, because a listing has thousands.
func appendTime(out []byte, at core.Time) []byte {
	out = at.Std().AppendFormat(out, time.RFC3339)
	ms := at.Std().Nanosecond() / 1_000_000
	return append(out[:len(out)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z')
}

// child is a file, or a directory with the entries below it.
type child struct {
	path    string
	isDir   bool
	entries []core.FileEntry
}

// childrenOf groups sorted entries by the children of dir.
func childrenOf(dir string, entries []core.FileEntry) []child {
	above := 0
	if dir != "" {
		above = len(dir) + 1
	}
	var children []child
	for start := 0; start < len(entries); {
		path := entries[start].Path.String()
		length := strings.IndexByte(path[above:], '/')
		if length < 0 {
			children = append(children, child{path: path, entries: entries[start : start+1]})
			start++
			continue
		}
		name := path[:above+length]
		end := start + 1
		for end < len(entries) && strings.HasPrefix(entries[end].Path.String(), name+"/") {
			end++
		}
		children = append(children, child{path: name, isDir: true, entries: entries[start:end]})
		start = end
	}
	slices.SortFunc(children, compareChildren)
	return children
}

func compareChildren(a, b child) int {
	if a.isDir != b.isDir {
		if a.isDir {
			return -1
		}
		return 1
	}
	return strings.Compare(a.path, b.path)
}
