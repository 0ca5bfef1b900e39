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
	ChatID      string               `json:"chatId"`
	Text        string               `json:"text"`
	Model       string               `json:"model,omitempty"`
	Provider    string               `json:"provider,omitempty"`
	Attachments *[]messageAttachment `json:"attachments,omitempty"`
	References  *[]messageReference  `json:"references,omitempty"`
	Detach      bool                 `json:"detach,omitempty"`
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

// JSONElement implements rest.Shaped.
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

// readMessage reads the body of a route that sends a message to the agent; the caller
// must be allowed to. The images occupy room among the uploads until done is called,
// which may be called more than once. Mistakes in an image are reported when the message
// is sent.
//
// Errors are Decode's, except for the limit: a body may have 64 MiB, and 1 MiB without
// the images' URLs.
func readMessage(r *rest.Request, uploads *rest.Uploads) (message chat.Message, done func(), err error) {
	if err := rest.CheckJSONHeaders(r.Header); err != nil {
		return chat.Message{}, nil, err
	}
	text, release, err := uploads.Read(r, maxMessageBytes)
	if err != nil {
		return chat.Message{}, nil, err
	}
	message, err = decodeMessage(text)
	if err != nil {
		release()
		return chat.Message{}, nil, err
	}
	return message, sync.OnceFunc(release), nil
}

func decodeMessage(text []byte) (chat.Message, error) {
	var body messageBody
	if err := rest.DecodeStrict(text, &body); err != nil {
		return chat.Message{}, err
	}
	if body.Provider != "" && body.Provider != "own" {
		return chat.Message{}, core.Errorf(core.CodeValidationFailed, `provider must be "own" or absent; name a provider in model: <providerId>/<model>`)
	}
	id, err := core.ParseID(body.ChatID)
	if err != nil {
		return chat.Message{}, err
	}
	message := chat.Message{ChatID: id, Text: body.Text, Model: body.Model, OwnProvider: body.Provider == "own", Detach: body.Detach}
	if body.References != nil {
		for _, r := range *body.References {
			message.References = append(message.References, core.Reference{Type: core.ReferenceType(r.Type), Path: r.Path, Tag: r.Tag, Line: r.Line, Column: r.Column})
		}
	}
	unattached := int64(len(text))
	if body.Attachments != nil {
		for _, attached := range *body.Attachments {
			unattached -= attached.URL.length
			message.Attachments = append(message.Attachments, attached.URL.OfType(attached.Type))
		}
	}
	if unattached > rest.MaxBodyBytes {
		return chat.Message{}, rest.TooLarge(rest.MaxBodyBytes)
	}
	return message, nil
}
