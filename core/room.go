package core

import "unicode/utf8"

// RoomState is what is stored of a room, in which people edit the files of a project
// together (contract, section 7).
type RoomState struct {
	// Epoch counts, from 1, how often the document was begun anew. What clients have of
	// an earlier document must not come into this one.
	Epoch int64
	// Updates make the document when they are applied in order.
	Updates [][]byte
	// Bases are what the disk had when the room's text of a path went on without being
	// written yet: a later content of the disk is compared with them. Nil stands for no
	// file.
	Bases map[ProjectPath]*string
}

// Limits of what is stored of a room.
const (
	// MaxRoomUpdateBytes bounds one update.
	MaxRoomUpdateBytes = 32 << 20
	// MaxRoomBasesBytes bounds the bases of a room together, with their paths.
	MaxRoomBasesBytes = 16 << 20
)

// CheckRoom holds what a room wants to store to its limits, with code
// CodePayloadTooLarge, and the bases to texts of files, valid UTF-8 each, with code
// CodeValidationFailed.
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
			return Errorf(CodeValidationFailed, "the base of %q is no text of a file", path.String())
		}
	}
	if size > MaxRoomBasesBytes {
		return Errorf(CodePayloadTooLarge, "the bases of a room have at most %d bytes together", MaxRoomBasesBytes)
	}
	return nil
}
