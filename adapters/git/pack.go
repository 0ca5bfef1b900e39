package git

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

// packEntry is an object in the form of a pack.
type packEntry struct {
	hash   plumbing.Hash
	data   []byte
	crc    uint32
	offset uint32
}

// pack is a pack with its index. Both have the name with their own endings.
type pack struct {
	name        string
	body, index []byte
}

// encodePack encodes objects as a pack without deltas.
func encodePack(objects []object) (pack, error) {
	entries, err := packEntries(objects)
	if err != nil {
		return pack{}, err
	}
	body := packFileHeader(len(entries))
	for i := range entries {
		if len(body) > 1<<31-1 {
			return pack{}, errors.New("pack is larger than 2 GiB")
		}
		entries[i].offset = uint32(len(body))
		body = append(body, entries[i].data...)
	}
	sum := sha1.Sum(body)
	return pack{packPath(sum), append(body, sum[:]...), packIndex(entries, sum)}, nil
}

// packPath returns the name of a pack in the repository, without an ending.
func packPath(sum [sha1.Size]byte) string {
	return filepath.Join("objects", "pack", "pack-"+hex.EncodeToString(sum[:]))
}

// packFileHeader encodes the beginning of a pack in version 2.
func packFileHeader(objects int) []byte {
	return binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(objects))
}

// packEntries encodes the objects, each once.
func packEntries(objects []object) ([]packEntry, error) {
	seen := make(map[plumbing.Hash]bool, len(objects))
	once := slices.DeleteFunc(slices.Clone(objects), func(o object) bool {
		repeated := seen[o.hash]
		seen[o.hash] = true
		return repeated
	})
	entries := make([]packEntry, len(once))
	failed := make([]error, len(once))
	durable.InParallel(len(once), func(i int) {
		data := bytes.NewBuffer(packHeader(once[i].kind, once[i].body))
		failed[i] = deflate(data, once[i].body)
		entries[i] = packEntry{hash: once[i].hash, data: data.Bytes(), crc: crc32.ChecksumIEEE(data.Bytes())}
	})
	return entries, errors.Join(failed...)
}

// packHeader encodes the kind and the size: four bits first, then seven in each byte.
func packHeader(kind plumbing.ObjectType, body []byte) []byte {
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

// packIndex encodes the pack's index in version 2.
func packIndex(entries []packEntry, pack [sha1.Size]byte) []byte {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b packEntry) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	index := []byte("\xfftOc\x00\x00\x00\x02")
	at := 0
	for first := range 256 {
		for at < len(sorted) && int(sorted[at].hash[0]) <= first {
			at++
		}
		index = binary.BigEndian.AppendUint32(index, uint32(at))
	}
	for _, entry := range sorted {
		index = append(index, entry.hash[:]...)
	}
	for _, entry := range sorted {
		index = binary.BigEndian.AppendUint32(index, entry.crc)
	}
	for _, entry := range sorted {
		index = binary.BigEndian.AppendUint32(index, entry.offset)
	}
	index = append(index, pack[:]...)
	sum := sha1.Sum(index)
	return append(index, sum[:]...)
}
