package core

import (
	"crypto/sha256"
	"encoding/hex"
)

// ChatMark stands for a chat in a project's repository, "" for none. Everybody clones a public
// project, so a version does not name its chat there: who knows the chat recognises it, and nobody
// else learns anything, because half of an id is random.
type ChatMark string

// chatMarkBytes is how much of a hash a mark has.
const chatMarkBytes = 16

// MarkOf returns a chat's mark.
func MarkOf(chat ID) ChatMark {
	sum := sha256.Sum256([]byte("chat " + chat))
	return ChatMark(hex.EncodeToString(sum[:chatMarkBytes]))
}

// Recognise sets ChatID of a version that was made in one of the chats.
func (v *Version) Recognise(chats []Chat) {
	for _, chat := range chats {
		if v.Chat != "" && v.Chat == MarkOf(chat.ID) {
			v.ChatID = &chat.ID
		}
	}
}
