package attachments

import (
	"encoding/binary"
	"errors"
	"image"
	"io"
	"iter"
)

// A WebP file is a RIFF container: "RIFF", its length, "WEBP", then chunks, each
// with a name of four letters and its length (RFC 9649).
const (
	riffHeader  = 12
	chunkHeader = 8
	// The names of chunks: one picture, lossy or lossless; the header of a file with
	// more than that; one picture of an animation.
	chunkLossy    = "VP8 "
	chunkLossless = "VP8L"
	chunkExtended = "VP8X"
	chunkFrame    = "ANMF"
)

var errWebP = errors.New("no WebP header")

func isWebP(data []byte) bool {
	return len(data) >= riffHeader+chunkHeader && string(data[:4]) == "RIFF" && string(data[8:riffHeader]) == "WEBP"
}

// webPConfig reads the size from the first chunk.
func webPConfig(data io.Reader) (image.Config, error) {
	const longest = 10
	head := make([]byte, riffHeader+chunkHeader+longest)
	n, err := io.ReadFull(data, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return image.Config{}, err
	}
	head = head[:n]
	if !isWebP(head) {
		return image.Config{}, errWebP
	}
	return pictureSize(string(head[riffHeader:riffHeader+4]), head[riffHeader+chunkHeader:])
}

// pictureSize reads the size from the content of a chunk. A lossy picture has it
// after a frame tag, whose first bit is 0, and a start code; a lossless one after a
// signature, minus one.
func pictureSize(name string, content []byte) (image.Config, error) {
	switch {
	case name == chunkLossy && len(content) >= 10 && content[0]&1 == 0 && string(content[3:6]) == "\x9d\x01\x2a":
		width, height := binary.LittleEndian.Uint16(content[6:]), binary.LittleEndian.Uint16(content[8:])
		return image.Config{Width: int(width & 0x3fff), Height: int(height & 0x3fff)}, nil
	case name == chunkLossless && len(content) >= 5 && content[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(content[1:])
		return image.Config{Width: int(bits&0x3fff) + 1, Height: int(bits>>14&0x3fff) + 1}, nil
	case name == chunkExtended && len(content) >= 10:
		return image.Config{Width: uint24(content[4:]) + 1, Height: uint24(content[7:]) + 1}, nil
	}
	return image.Config{}, errWebP
}

func uint24(data []byte) int { return int(data[0]) | int(data[1])<<8 | int(data[2])<<16 }

// chunks walks over the complete chunks of a container.
func chunks(container []byte) iter.Seq2[string, []byte] {
	return func(yield func(name string, content []byte) bool) {
		for rest := container; len(rest) >= chunkHeader; {
			end := chunkHeader + uint64(binary.LittleEndian.Uint32(rest[4:]))
			if end > uint64(len(rest)) || !yield(string(rest[:4]), rest[chunkHeader:end]) {
				return
			}
			// A chunk of an odd length is followed by one byte of padding.
			rest = rest[min(end+end&1, uint64(len(rest))):]
		}
	}
}

// wholeWebP looks for the first picture, which must be complete and no larger than
// the file's header says. It only gets data that webPConfig could read.
func wholeWebP(data []byte) bool {
	if uint64(binary.LittleEndian.Uint32(data[4:]))+chunkHeader > uint64(len(data)) {
		return false
	}
	var canvas image.Config
	for name, content := range chunks(data[riffHeader:]) {
		if canvas == (image.Config{}) {
			canvas, _ = pictureSize(name, content)
		}
		switch name {
		case chunkLossy, chunkLossless:
			picture, err := pictureSize(name, content)
			return err == nil && fits(picture, canvas)
		case chunkFrame:
			return fits(frameSize(content), canvas)
		}
	}
	return false
}

// frameSize reads the size of one picture of an animation from the picture itself,
// which comes after a header and, if there is one, the chunk with its transparency.
func frameSize(content []byte) image.Config {
	const frameHeader = 16
	for name, inner := range chunks(skip(content, frameHeader)) {
		if size, err := pictureSize(name, inner); err == nil {
			return size
		}
	}
	return image.Config{}
}

func fits(picture, canvas image.Config) bool {
	return picture.Width > 0 && picture.Height > 0 && picture.Width <= canvas.Width && picture.Height <= canvas.Height
}
