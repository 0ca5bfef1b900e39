package nats

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/atelierhq/atelier/core"
)

// noticeVersion is the version of the encoding of notices. An encoding that older
// processes would misread takes the next version.
const noticeVersion = 1

// noticeMessage is the encoding of a notice. Its project is in the subject.
type noticeMessage struct {
	Version int                `json:"v"`
	Kind    core.NoticeKind    `json:"kind"`
	By      core.Author        `json:"by,omitzero"`
	Files   []fileMessage      `json:"files,omitempty"`
	ChatID  core.ID            `json:"chat,omitempty"`
	Event   *eventMessage      `json:"event,omitempty"`
	RunID   core.ID            `json:"run,omitempty"`
	Preview *core.PreviewState `json:"preview,omitempty"`
	Data    core.DataEnv       `json:"data,omitempty"`
}

type fileMessage struct {
	Action core.FileAction   `json:"action"`
	Path   core.ProjectPath  `json:"path"`
	From   *core.ProjectPath `json:"from,omitempty"`
	Entry  *core.FileEntry   `json:"entry,omitempty"`
}

// eventMessage is an event with its payload as stored. At is in milliseconds.
type eventMessage struct {
	Seq  int64           `json:"seq"`
	At   int64           `json:"at"`
	Type core.EventType  `json:"type"`
	Body json.RawMessage `json:"body"`
}

// encodeNotice encodes a notice in at most limit bytes. A larger one becomes the marker
// that tells followers to read again.
func encodeNotice(notice core.Notice, limit int64) ([]byte, error) {
	message := noticeMessage{
		Version: noticeVersion, Kind: notice.Kind, By: notice.By, ChatID: notice.ChatID, RunID: notice.RunID, Preview: notice.Preview, Data: notice.Data,
	}
	for _, file := range notice.Files {
		message.Files = append(message.Files, fileMessage(file))
	}
	if notice.Event != nil {
		body, err := json.Marshal(notice.Event.Payload)
		if err != nil {
			return nil, err
		}
		message.Event = &eventMessage{notice.Event.Seq, int64(notice.Event.CreatedAt), notice.Event.Payload.EventType(), body}
	}
	encoded, err := json.Marshal(message)
	if err == nil && int64(len(encoded)) > limit {
		return markerMessage(), nil
	}
	return encoded, err
}

// markerMessage tells followers to read again.
func markerMessage() []byte {
	return fmt.Appendf(nil, `{"v":%d,"kind":%q}`, noticeVersion, core.NoticeLagged)
}

// decodeNotice decodes a notice of a project. The error says what this process does not
// understand, such as the version or the kind of a newer one.
func decodeNotice(project core.ID, body []byte) (*core.Notice, error) {
	var head struct {
		Version int             `json:"v"`
		Kind    core.NoticeKind `json:"kind"`
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return nil, err
	}
	if head.Version != noticeVersion || !knownKind(head.Kind) {
		return nil, fmt.Errorf("version %d, kind %q", head.Version, head.Kind)
	}
	var message noticeMessage
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, err
	}
	notice := &core.Notice{
		Kind: message.Kind, ProjectID: project, By: message.By, ChatID: message.ChatID, RunID: message.RunID, Preview: message.Preview, Data: message.Data,
	}
	for _, file := range message.Files {
		if file.Path.IsRoot() || file.Entry != nil && file.Entry.Path.IsRoot() {
			return nil, errors.New("a file without a path")
		}
		notice.Files = append(notice.Files, core.FileNotice(file))
	}
	if message.Event != nil {
		payload, err := core.DecodePayload(message.Event.Type, message.Event.Body)
		if err != nil {
			return nil, err
		}
		notice.Event = &core.Event{Seq: message.Event.Seq, CreatedAt: core.Time(message.Event.At), Payload: payload}
	}
	return notice, nil
}

func knownKind(kind core.NoticeKind) bool {
	switch kind {
	case core.NoticeFiles, core.NoticeChatEvent, core.NoticeRunStop, core.NoticePreview, core.NoticeProject, core.NoticeTasks, core.NoticeComments, core.NoticeData, core.NoticeLagged:
		return true
	}
	return false
}
