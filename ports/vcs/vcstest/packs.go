package vcstest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// packObject is an object of git's, as tests make them: sound or not.
type packObject struct {
	kind byte
	body []byte
	// size is the pack's statement, when it is not the body's.
	size int
	// base is the name of what a delta builds on.
	base []byte
}

// The kinds of objects in a pack.
const (
	packCommit = 1
	packTree   = 2
	packBlob   = 3
	packDelta  = 7
)

func (o packObject) name() []byte {
	kinds := map[byte]string{packCommit: "commit", packTree: "tree", packBlob: "blob"}
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kinds[o.kind], len(o.body)), o.body...))
	return sum[:]
}

func (o packObject) id() string { return hex.EncodeToString(o.name()) }

// encode writes the object as a pack holds it.
func (o packObject) encode(out *bytes.Buffer) {
	size := o.size
	if size == 0 {
		size = len(o.body)
	}
	head := []byte{o.kind<<4 | byte(size&0x0f)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	out.Write(append(head, o.base...))
	stream := zlib.NewWriter(out)
	_, _ = stream.Write(o.body)
	_ = stream.Close()
}

// packOf is a pack of objects, which says that it holds count of them.
func packOf(count int, objects ...packObject) []byte {
	var out bytes.Buffer
	out.WriteString("PACK\x00\x00\x00\x02")
	out.Write(binary.BigEndian.AppendUint32(nil, uint32(count)))
	for _, object := range objects {
		object.encode(&out)
	}
	sum := sha1.Sum(out.Bytes())
	return append(out.Bytes(), sum[:]...)
}

// aBlob, aTree and aCommit make sound objects. A tree takes pairs of a mode with a
// name and the object.
func aBlob(content string) packObject { return packObject{kind: packBlob, body: []byte(content)} }

func aTree(name string, child packObject) packObject {
	return packObject{kind: packTree, body: append([]byte(name+"\x00"), child.name()...)}
}

func aCommit(tree packObject, parents ...string) packObject {
	var text strings.Builder
	fmt.Fprintf(&text, "tree %s\n", tree.id())
	for _, parent := range parents {
		fmt.Fprintf(&text, "parent %s\n", parent)
	}
	text.WriteString("author Ann <a@example.com> 1700000000 +0000\ncommitter Ann <a@example.com> 1700000000 +0000\n\nFrom elsewhere\n")
	return packObject{kind: packCommit, body: []byte(text.String())}
}

// deltaOf is a delta on a base that says it has so many bytes and makes so many, by
// instructions.
func deltaOf(base packObject, from, to int, instructions ...byte) packObject {
	body := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(from)), uint64(to))
	return packObject{kind: packDelta, base: base.name(), body: append(body, instructions...)}
}

// pktLine is a line of git's protocol.
func pktLine(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// pushOf is the request that moves a ref and sends a pack.
func pushOf(from, to, ref string, pack []byte) string {
	return pktLine(from+" "+to+" "+ref+"\x00 report-status") + "0000" + string(pack)
}
