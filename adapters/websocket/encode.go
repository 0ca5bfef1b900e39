package websocket

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// encode encodes an event with its type before its fields.
func encode(event rooms.Event) ([]byte, error) {
	var fields bytes.Buffer
	encoder := json.NewEncoder(&fields)
	// These texts are never embedded in HTML, and most of what they carry is HTML.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(event); err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "an event cannot be written as JSON")
	}
	rest := bytes.TrimSuffix(fields.Bytes(), []byte("\n"))[1:]
	text := make([]byte, 0, len(rest)+40)
	text = append(append(append(text, `{"type":"`...), event.EventType()...), '"')
	if len(rest) > len("}") {
		text = append(text, ',')
	}
	return append(text, rest...), nil
}

// keptTexts is how many encoded texts are cached for members that receive the same event
// shortly afterwards.
const keptTexts = 16

// texts encodes an event once for all members of a room that receive it: encoding the
// event of a large file takes milliseconds. It caches the last few texts, and encodes
// others again.
type texts struct {
	mu   sync.Mutex
	kept [keptTexts]*text
	next int
}

// text is the encoded event of a frame.
type text struct {
	frame *rooms.Frame
	once  sync.Once
	bytes []byte
	err   error
}

// of returns the text of a frame. Members share it, so it is immutable.
func (t *texts) of(frame *rooms.Frame) ([]byte, error) {
	kept := t.find(frame)
	kept.once.Do(func() { kept.bytes, kept.err = encode(frame.Event) })
	return kept.bytes, kept.err
}

func (t *texts) find(frame *rooms.Frame) *text {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kept := range t.kept {
		if kept != nil && kept.frame == frame {
			return kept
		}
	}
	kept := &text{frame: frame}
	t.kept[t.next] = kept
	t.next = (t.next + 1) % keptTexts
	return kept
}
