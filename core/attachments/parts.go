package attachments

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// wholePNG walks over the chunks: each has its length, type, content and checksum.
// Readers skip chunks whose type begins with a lower-case letter.
func wholePNG(data []byte) bool {
	const signature, frame = 8, 12
	pixels := false
	for rest := data[signature:]; len(rest) >= frame; {
		length := uint64(binary.BigEndian.Uint32(rest))
		if length+frame > uint64(len(rest)) {
			return false
		}
		checked, sum := rest[4:length+8], binary.BigEndian.Uint32(rest[length+8:])
		if critical := checked[0]&0x20 == 0; critical && crc32.ChecksumIEEE(checked) != sum {
			return false
		}
		switch string(checked[:4]) {
		case "IDAT":
			pixels = pixels || length > 0
		case "IEND":
			return pixels
		}
		rest = rest[length+frame:]
	}
	return false
}

// Markers of JPEG, each after a 0xff.
const (
	jpegScan        = 0xda
	jpegEnd         = 0xd9
	jpegFirstAlone  = 0xd0
	jpegTemporary   = 0x01
	jpegMarkerStart = 0xff
)

// wholeJPEG walks over the segments to the first scan, and looks for the end of the
// image after it. The pixels of a scan never look like a marker.
func wholeJPEG(data []byte) bool {
	rest := data[2:]
	for len(rest) >= 4 {
		marker := rest[1]
		switch {
		case rest[0] != jpegMarkerStart || marker == jpegMarkerStart:
			// Some cameras write bytes between segments, which readers skip.
			rest = rest[1:]
		case marker == jpegScan:
			return bytes.Contains(rest, []byte{jpegMarkerStart, jpegEnd})
		case marker == 0, marker == jpegTemporary, marker >= jpegFirstAlone && marker < jpegEnd:
			rest = rest[2:]
		default:
			length := int(binary.BigEndian.Uint16(rest[2:]))
			if length < 2 || 2+length > len(rest) {
				return false
			}
			rest = rest[2+length:]
		}
	}
	return false
}

// The first bytes of the blocks of a GIF.
const (
	gifImage     = 0x2c
	gifExtension = 0x21
)

// wholeGIF walks over the blocks to the end of the first image.
func wholeGIF(data []byte) bool {
	const header, descriptor = 13, 10
	rest := skip(data, header+colorTable(data[header-3]))
	for len(rest) > 0 {
		switch rest[0] {
		case gifExtension:
			rest = skipBlocks(skip(rest, 2))
		case gifImage:
			if len(rest) < descriptor {
				return false
			}
			// The pixels come after the descriptor, its colors and the size of a code.
			pixels := skip(rest, descriptor+colorTable(rest[descriptor-1])+1)
			return len(pixels) > 0 && pixels[0] > 0 && skipBlocks(pixels) != nil
		default:
			return false
		}
	}
	return false
}

// colorTable is the length of the table that flags announce, in bytes.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipBlocks returns the data after a list of blocks, nil if the list does not end.
func skipBlocks(data []byte) []byte {
	for len(data) > 0 {
		length := int(data[0])
		data = skip(data, 1+length)
		if length == 0 {
			return data
		}
	}
	return nil
}

// skip returns the data after the first n bytes, nil only if there are fewer.
func skip(data []byte, n int) []byte {
	if n > len(data) {
		return nil
	}
	return data[n:]
}
