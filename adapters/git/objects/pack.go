package objects

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// PackEntry is an object in a pack: what the index says of it, and its encoded form.
type PackEntry struct {
	Hash plumbing.Hash
	// CRC is the CRC-32 of the encoded form, Offset its place in the pack.
	CRC    uint32
	Offset uint32
	data   []byte
}

// Pack is a pack with its index. Name is the path of both in the repository, without
// their endings.
type Pack struct {
	Name        string
	Body, Index []byte
}

// EncodePack encodes objects as a pack without deltas.
func EncodePack(objects []Object) (Pack, error) {
	entries, err := packEntries(objects)
	if err != nil {
		return Pack{}, err
	}
	body := PackHeader(len(entries))
	for i := range entries {
		if len(body) > 1<<31-1 {
			return Pack{}, errors.New("pack is larger than 2 GiB")
		}
		entries[i].Offset = uint32(len(body))
		body = append(body, entries[i].data...)
	}
	sum := sha1.Sum(body)
	return Pack{PackPath(sum), append(body, sum[:]...), PackIndex(entries, sum)}, nil
}

// PackPath returns the path of a pack in the repository, without an ending. sum is the
// pack's checksum.
func PackPath(sum [sha1.Size]byte) string {
	return filepath.Join("objects", "pack", "pack-"+hex.EncodeToString(sum[:]))
}

// PackHeader encodes the beginning of a pack in version 2, of a number of objects.
func PackHeader(objects int) []byte {
	return binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(objects))
}

// packEntries encodes the objects, each once.
func packEntries(objects []Object) ([]PackEntry, error) {
	seen := make(map[plumbing.Hash]bool, len(objects))
	once := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool {
		repeated := seen[o.Hash]
		seen[o.Hash] = true
		return repeated
	})
	entries := make([]PackEntry, len(once))
	failed := make([]error, len(once))
	durable.InParallel(len(once), func(i int) {
		data := bytes.NewBuffer(EntryHeader(once[i].Kind, once[i].Body))
		failed[i] = Deflate(data, once[i].Body)
		entries[i] = PackEntry{Hash: once[i].Hash, data: data.Bytes(), CRC: crc32.ChecksumIEEE(data.Bytes())}
	})
	return entries, errors.Join(failed...)
}

// EntryHeader encodes the beginning of an object in a pack: its kind and its size, four bits
// first, then seven in each byte.
func EntryHeader(kind plumbing.ObjectType, body []byte) []byte {
	size := uint64(len(body))
	first := byte(kind)<<4 | byte(size&0x0f)
	size >>= 4
	header := []byte{first}
	for size > 0 {
		header[len(header)-1] |= 0x80
		header = append(header, byte(size&0x7f))
		size >>= 7
	}
	return header
}

// PackIndex encodes the index of a pack in version 2. pack is the checksum with which the
// pack ends.
func PackIndex(entries []PackEntry, pack [sha1.Size]byte) []byte {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b PackEntry) int { return bytes.Compare(a.Hash[:], b.Hash[:]) })
	index := []byte("\xfftOc\x00\x00\x00\x02")
	at := 0
	for first := range 256 {
		for at < len(sorted) && int(sorted[at].Hash[0]) <= first {
			at++
		}
		index = binary.BigEndian.AppendUint32(index, uint32(at))
	}
	for _, entry := range sorted {
		index = append(index, entry.Hash[:]...)
	}
	for _, entry := range sorted {
		index = binary.BigEndian.AppendUint32(index, entry.CRC)
	}
	for _, entry := range sorted {
		index = binary.BigEndian.AppendUint32(index, entry.Offset)
	}
	index = append(index, pack[:]...)
	sum := sha1.Sum(index)
	return append(index, sum[:]...)
}
