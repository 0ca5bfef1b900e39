package chats

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/chat"
)

const someChat = "01890a5d-ac96-774b-bcce-b302099a8057"

// pngURL returns the data URL of a PNG, padded to size with unused bytes.
func pngURL(t testing.TB, size int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 7, 3))); err != nil {
		t.Fatal(err)
	}
	data := append(out.Bytes(), make([]byte, max(0, size-out.Len()))...)
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// sent reads a message as a route does, and loads its images.
func sent(t testing.TB, u *rest.Uploads, body string) (chat.Message, []core.Image, func(), error) {
	t.Helper()
	in := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	in.Header.Set("Content-Type", "application/json")
	r := rest.NewRequest(in, "", netip.Addr{}, http.NewResponseController(httptest.NewRecorder()))
	message, done, err := readMessage(r, u)
	if err != nil {
		return message, nil, nil, err
	}
	images, err := attachments.NewLoader(memory.NewGuard()).Load(t.Context(), message.Attachments)
	return message, images, done, err
}

// messageWith is a body with attachments, which are JSON.
func messageWith(attachments string) string {
	return `{"chatId":"` + someChat + `","text":"Look","attachments":` + attachments + `}`
}

func attachmentJSON(url string) string { return `{"type":"image","url":"` + url + `"}` }

func TestAMessageIsRead(t *testing.T) {
	u := rest.NewUploads()
	url := pngURL(t, 0)
	escaped := strings.ReplaceAll(strings.ReplaceAll(url, "/", `\/`), "d", `\u0064`)
	for body, want := range map[string]int{
		`{"chatId":"` + someChat + `","text":"Look"}`: 0,
		messageWith("[]"):                                          0,
		messageWith("null"):                                        0,
		messageWith("[" + attachmentJSON(url) + "]"):               1,
		messageWith("[" + attachmentJSON(escaped) + "]"):           1,
		messageWith(`[{"url":"` + url + `","type":"image"}]`):      1,
		messageWith("[" + list(attachmentJSON(url), 8) + "]"):      8,
		messageWith("[ " + list(attachmentJSON(url), 2) + "\n\t]"): 2,
	} {
		message, images, done, err := sent(t, u, body)
		if err != nil || len(images) != want || message.Text != "Look" || message.ChatID != someChat {
			t.Errorf("%.100s: got %d images and %+v, %v, want %d", body, len(images), message.Text, err, want)
			continue
		}
		done()
		done()
	}
	if held := u.Held(""); held != 0 {
		t.Errorf("got %d bytes held afterwards, want none", held)
	}
}

func list(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }

func TestAMessageThatIsWrongIsRefused(t *testing.T) {
	u := rest.NewUploads()
	url := pngURL(t, 0)
	for body, want := range map[string]struct {
		code core.Code
		says string
	}{
		messageWith(`{}`):                                                                {core.CodeInvalidRequest, "attachments must be a list"},
		messageWith(`[null]`):                                                            {core.CodeInvalidRequest, "attachments[0] must be"},
		messageWith(`["` + url + `"]`):                                                   {core.CodeInvalidRequest, "attachments[0] must be"},
		messageWith(`[{"type":"image"}]`):                                                {core.CodeInvalidRequest, "attachments[0].url is missing"},
		messageWith(`[{"url":"` + url + `"}]`):                                           {core.CodeInvalidRequest, "attachments[0].type is missing"},
		messageWith(`[{"type":"image","url":7}]`):                                        {core.CodeInvalidRequest, "attachments[0].url must be a string"},
		messageWith(`[{"type":"image","url":null}]`):                                     {core.CodeInvalidRequest, "attachments[0].url must be a string"},
		messageWith(`[{"type":"image","url":["` + url + `"]}]`):                          {core.CodeInvalidRequest, "attachments[0].url must be a string"},
		messageWith(`[{"type":"image","url":"` + url + `","name":"x"}]`):                 {core.CodeInvalidRequest, "attachments[0].name is not a known field"},
		messageWith("[" + attachmentJSON(url) + `,{"type":"file","url":"` + url + `"}]`): {core.CodeValidationFailed, "attachments[1].type"},
		messageWith("[" + attachmentJSON("") + "]"):                                      {core.CodeValidationFailed, "attachments[0].url"},
		messageWith("[" + attachmentJSON(`\ud800`) + "]"):                                {core.CodeInvalidRequest, "surrogate"},
		messageWith("[" + list(attachmentJSON(url), 9) + "]"):                            {core.CodeValidationFailed, "at most 8"},
		`{"chatId":"` + someChat + `","text":"Look","provider":"mine"}`:                  {core.CodeValidationFailed, "provider"},
		`{"chatId":"no id","text":"Look"}`:                                               {core.CodeNotFound, ""},
		`{"chatId":"` + someChat + `"}`:                                                  {core.CodeInvalidRequest, "text is missing"},
	} {
		_, _, _, err := sent(t, u, body)
		if !core.IsCode(err, want.code) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%.120s: got %v, want code %s and %q", body, err, want.code, want.says)
		}
	}
}

func TestAMessageHasItsBounds(t *testing.T) {
	u, good := rest.NewUploads(), pngURL(t, 0)
	for name, c := range map[string]struct {
		body string
		want core.Code
	}{
		"a text over 1 MiB": {`{"chatId":"` + someChat + `","text":"` + strings.Repeat("a", rest.MaxBodyBytes) + `"}`, core.CodePayloadTooLarge},
		"blanks over 1 MiB": {messageWith("[" + attachmentJSON(good) + strings.Repeat(" ", rest.MaxBodyBytes) + "]"), core.CodePayloadTooLarge},
		"a type over 1 MiB": {messageWith(`[{"type":"` + strings.Repeat("a", rest.MaxBodyBytes) + `","url":""}]`), core.CodePayloadTooLarge},
		"an image of 2 MiB": {messageWith("[" + attachmentJSON(pngURL(t, 2<<20)) + "]"), ""},
		"over 64 MiB":       {`{"` + strings.Repeat("a", maxMessageBytes) + `":1}`, core.CodePayloadTooLarge},
	} {
		_, _, done, err := sent(t, u, c.body)
		if core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want code %q", name, err, c.want)
		}
		if done != nil {
			done()
		}
	}
	if held := u.Held(""); held != 0 {
		t.Errorf("got %d bytes held afterwards, want none", held)
	}
	// Of nine of the largest images the answer is still that they are too many.
	if nine := 9*len(pngURL(t, core.MaxImageBytes)) + rest.MaxBodyBytes; nine > maxMessageBytes {
		t.Errorf("got a limit of %d bytes, want at least %d", maxMessageBytes, nine)
	}
}

func TestARouteOfMessagesTakesJSONAlone(t *testing.T) {
	in := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}"))
	in.Header.Set("Content-Type", "text/plain")
	r := rest.NewRequest(in, "", netip.Addr{}, http.NewResponseController(httptest.NewRecorder()))
	if _, _, err := readMessage(r, rest.NewUploads()); !core.IsCode(err, core.CodeUnsupportedMediaType) {
		t.Errorf("got %v, want code unsupported_media_type", err)
	}
}

// TestALargeMessageIsHeldOnce checks that only the images of a message are kept, which
// are three quarters of its body.
func TestALargeMessageIsHeldOnce(t *testing.T) {
	const size = 1 << 20
	body := messageWith("[" + list(attachmentJSON(pngURL(t, size)), 8) + "]")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	message, images, done, err := sent(t, rest.NewUploads(), body)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || len(images) != 8 {
		t.Fatalf("got %d images, %v, want 8", len(images), err)
	}
	defer done()
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 8*size+size {
		t.Errorf("got %d KiB held, want no more than the images", held>>10)
	}
	runtime.KeepAlive(message)
	runtime.KeepAlive(body)
}

// FuzzMessage compares the parsed message with encoding/json.
func FuzzMessage(f *testing.F) {
	f.Add(messageWith("[" + attachmentJSON(pngURL(f, 0)) + "]"))
	f.Add(messageWith(`[{"type":"image","url":"\u0064ata:,\/"}]`))
	f.Add(messageWith("null"))
	f.Fuzz(func(t *testing.T, body string) {
		message, err := decodeMessage([]byte(body))
		if err != nil {
			return
		}
		var loose struct {
			Text        string
			Attachments []struct{ Type, URL string }
		}
		if err := json.Unmarshal([]byte(body), &loose); err != nil || loose.Text != message.Text || len(loose.Attachments) != len(message.Attachments) {
			t.Fatalf("got %+v, want %+v, %v", message, loose, err)
		}
		for i, attached := range loose.Attachments {
			_, got := attachments.NewLoader(memory.NewGuard()).Load(t.Context(), message.Attachments[i:i+1])
			source := attachments.Parse([]byte(attached.URL)).OfType(attached.Type)
			_, want := attachments.NewLoader(memory.NewGuard()).Load(t.Context(), []attachments.Source{source})
			if core.CodeOf(got) != core.CodeOf(want) {
				t.Errorf("attachment %d: got %v, want %v", i, got, want)
			}
		}
	})
}

func BenchmarkLargestMessage(b *testing.B) {
	body := messageWith("[" + list(attachmentJSON(pngURL(b, core.MaxImageBytes)), 8) + "]")
	u := rest.NewUploads()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_, _, done, err := sent(b, u, body)
		if err != nil {
			b.Fatal(err)
		}
		done()
	}
}
