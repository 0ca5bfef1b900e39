package attachments

import (
	"bytes"
	"encoding/base64"

	"github.com/atelierhq/atelier/core"
)

// maxAddressBytes bounds an http(s) address: signed ones are long.
const maxAddressBytes = 8192

// Source is the source of one image of a message: data in the message, or an
// address. Its errors are reported when it is loaded.
type Source struct {
	data    []byte
	address string
	problem error
}

// Parse reads the url of an attachment: a data URL in base64, or an http(s)
// address. It ignores the media type that a data URL declares: the data decides.
// Parse does not retain url.
func Parse(url []byte) Source {
	if len(url) >= len(dataScheme) && bytes.EqualFold(url[:len(dataScheme)], []byte(dataScheme)) {
		data, err := decodeDataURL(url[len(dataScheme):])
		return Source{data: data, problem: err}
	}
	scheme, _, found := bytes.Cut(url, []byte("://"))
	switch {
	case !found || len(scheme) == 0:
		return Source{problem: refuse("url must be a data URL (data:image/png;base64,…) or an http(s) address")}
	case len(url) > maxAddressBytes:
		return Source{problem: refuse("url must have at most %d bytes", maxAddressBytes)}
	}
	return Source{address: string(url)}
}

// OfType returns the source of an attachment of the given type, which must be
// core.AttachmentImage.
func (s Source) OfType(kind string) Source {
	if kind != core.AttachmentImage {
		return Source{problem: refuse("type must be %q", core.AttachmentImage)}
	}
	return s
}

const dataScheme = "data:"

// maxHeadBytes bounds the part of a data URL before its data.
const maxHeadBytes = 256

// decodeDataURL decodes a data URL after its scheme. Base64 must be that of RFC
// 4648, section 4: padded, and without line breaks.
func decodeDataURL(text []byte) ([]byte, error) {
	head, _, found := bytes.Cut(text[:min(len(text), maxHeadBytes)], []byte(","))
	parameter := head[bytes.LastIndexByte(head, ';')+1:]
	if !found || len(parameter) == len(head) || !bytes.EqualFold(parameter, []byte("base64")) {
		return nil, refuse("url must be base64 if it is a data URL: data:image/png;base64,…")
	}
	encoded := text[len(head)+1:]
	if base64.StdEncoding.DecodedLen(len(encoded))-2 > core.MaxImageBytes {
		return nil, tooLarge()
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Strict().Decode(data, encoded)
	if err != nil || bytes.ContainsAny(encoded, "\r\n") {
		return nil, refuse("url: the data is not base64")
	}
	return data[:n], nil
}

// refuse says what is wrong with an attachment, beginning with the member.
func refuse(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, format, args...)
}

func tooLarge() error {
	return refuse("url: the image has more than %d MiB", core.MaxImageBytes>>20)
}
