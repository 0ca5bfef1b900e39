package chats

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/chat"
)

// maxMessageBytes bounds a message with its images. Eight images of 5 MiB take 53.4 MiB
// in base64. A body with nine is still read, so that the answer can say that they are too
// many.
const maxMessageBytes = 64 << 20

// messageBody is the body of routes that send a message to the agent.
type messageBody struct {
	ChatID      string       `json:"chatId"`
	Text        string       `json:"text"`
	Model       string       `json:"model,omitempty"`
	Thinking    string       `json:"thinking,omitempty"`
	Provider    string       `json:"provider,omitempty"`
	Attachments *Attachments `json:"attachments,omitempty"`
	References  *References  `json:"references,omitempty"`
	Detach      bool         `json:"detach,omitempty"`
}

// References are those of a message in a body.
type References []messageReference

// All returns the references, none for nil.
func (r *References) All() []core.Reference {
	if r == nil {
		return nil
	}
	var all []core.Reference
	for _, one := range *r {
		all = append(all, core.Reference{Type: core.ReferenceType(one.Type), Path: one.Path, Tag: one.Tag, Line: one.Line, Column: one.Column})
	}
	return all
}

// Attachments are the images of a message in a body.
type Attachments []messageAttachment

// Sources returns the images of a body of this length, none for nil. It returns
// core.CodePayloadTooLarge if the body has more than 1 MiB without the images' URLs.
func (a *Attachments) Sources(length int64) ([]attachments.Source, error) {
	var sources []attachments.Source
	if a != nil {
		for _, attached := range *a {
			length -= attached.URL.length
			sources = append(sources, attached.URL.OfType(attached.Type))
		}
	}
	if length > rest.MaxBodyBytes {
		return nil, rest.TooLarge(rest.MaxBodyBytes)
	}
	return sources, nil
}

type messageReference struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Tag    string `json:"tag,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

type messageAttachment struct {
	Type string      `json:"type"`
	URL  attachedURL `json:"url"`
}

// attachedURL is decoded in place, because it may be megabytes long.
type attachedURL struct {
	attachments.Source
	length int64
}

// JSONElement implements rest.Shape.
func (attachedURL) JSONElement() reflect.Type { return reflect.TypeFor[string]() }

// UnmarshalJSON implements json.Unmarshaler.
func (u *attachedURL) UnmarshalJSON(quoted []byte) error {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		var plain string
		if err := json.Unmarshal(quoted, &plain); err != nil {
			return err
		}
		text = []byte(plain)
	}
	u.Source, u.length = attachments.Parse(text), int64(len(quoted))
	return nil
}

// readMessage reads the body of a route that sends a message to the agent; see ReadBody.
func readMessage(r *rest.Request, uploads *rest.Uploads) (message chat.Message, done func(), err error) {
	done, err = ReadBody(r, uploads, func(text []byte) error {
		message, err = decodeMessage(text)
		return err
	})
	return message, done, err
}

// ReadBody reads a body with a message to the agent and its images, and hands it to decode; the
// caller must be allowed to send it. The images occupy room among the uploads until done is
// called, which may be called more than once. Mistakes in an image are reported when the message
// is sent.
//
// Errors are Decode's, except for the limit: a body may have 64 MiB, and 1 MiB without
// the images' URLs.
func ReadBody(r *rest.Request, uploads *rest.Uploads, decode func(text []byte) error) (done func(), err error) {
	if err := rest.CheckJSONHeaders(r.Header); err != nil {
		return nil, err
	}
	text, release, err := uploads.Read(r, maxMessageBytes)
	if err != nil {
		return nil, err
	}
	if err := decode(text); err != nil {
		release()
		return nil, err
	}
	return sync.OnceFunc(release), nil
}

func decodeMessage(text []byte) (chat.Message, error) {
	var body messageBody
	if err := rest.DecodeStrict(text, &body); err != nil {
		return chat.Message{}, err
	}
	own, err := IsOwn(body.Provider)
	if err != nil {
		return chat.Message{}, err
	}
	id, err := core.ParseID(body.ChatID)
	if err != nil {
		return chat.Message{}, err
	}
	thinking, err := ParseThinking(body.Thinking)
	if err != nil {
		return chat.Message{}, err
	}
	message := chat.Message{ChatID: id, Text: body.Text, Model: body.Model, Thinking: thinking, OwnProvider: own, Detach: body.Detach}
	message.References = body.References.All()
	message.Attachments, err = body.Attachments.Sources(int64(len(text)))
	return message, err
}

// ParseThinking is core.ParseThinking, and takes "" for no wish.
func ParseThinking(text string) (core.Thinking, error) {
	if text == "" {
		return "", nil
	}
	return core.ParseThinking(text)
}

// IsOwn reports whether a message's provider is the sender's own subscription: "own" or, for no,
// "". Anything else has code core.CodeValidationFailed.
func IsOwn(provider string) (bool, error) {
	if provider != "" && provider != "own" {
		return false, core.Errorf(core.CodeValidationFailed, `provider must be "own" or absent; name a provider in model: <providerId>/<model>`)
	}
	return provider == "own", nil
}
