package core

import "unicode/utf8"

// RoomState is the stored state of a room, in which people edit the files of a project
// together.
type RoomState struct {
	// Epoch counts, from 1, how often the document was restarted. Clients' copies of an
	// earlier document must not be merged into this one.
	Epoch int64
	// Updates applied in order make the document.
	Updates [][]byte
	// Bases has the disk's content of paths whose newer text in the room is not written
	// yet. Later content of the disk is compared with it. Nil means no file.
	Bases map[ProjectPath]*string
}

// Limits of a room's stored state.
const (
	// MaxRoomUpdateBytes bounds one update.
	MaxRoomUpdateBytes = 32 << 20
	// MaxRoomBasesBytes bounds the bases of a room together, with their paths.
	MaxRoomBasesBytes = 16 << 20
)

// CheckRoom checks what a room stores. It returns CodePayloadTooLarge beyond the
// limits, and CodeValidationFailed for a base that is not a valid UTF-8 text.
func CheckRoom(update []byte, bases map[ProjectPath]*string) error {
	if len(update) > MaxRoomUpdateBytes {
		return Errorf(CodePayloadTooLarge, "an update of a room has at most %d bytes", MaxRoomUpdateBytes)
	}
	size := 0
	for path, base := range bases {
		size += len(path.String())
		if base != nil {
			size += len(*base)
		}
		if path.IsRoot() || base != nil && !utf8.ValidString(*base) {
			return Errorf(CodeValidationFailed, "the base of %q is not the text of a file", path.String())
		}
	}
	if size > MaxRoomBasesBytes {
		return Errorf(CodePayloadTooLarge, "the bases of a room have at most %d bytes together", MaxRoomBasesBytes)
	}
	return nil
}
