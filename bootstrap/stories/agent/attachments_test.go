package agent_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func jpegImage(t testing.TB, width int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, width, 2)), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bombImage says that it has more pixels than it has bytes for.
func bombImage(t testing.TB) []byte {
	data := storytest.PNGImage(t, 1)
	binary.BigEndian.PutUint32(data[16:], 16_000)
	binary.BigEndian.PutUint32(data[20:], 16_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestAWrongAttachmentIsRefusedBeforeTheStream(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request inside, want none") }))
	defer inside.Close()
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	good := storytest.DataURL(storytest.PNGImage(t, 3))
	whole := storytest.PNGImage(t, 40)
	for name, wrong := range map[string]struct {
		attachments any
		code        core.Code
		says        string
	}{
		"nine":                {repeated(storytest.Picture(good), 9), core.CodeValidationFailed, "at most 8"},
		"5 MiB and one byte":  {[]storytest.Fields{storytest.Picture(good), storytest.Picture(storytest.DataURL(append(whole, make([]byte, core.MaxImageBytes+1-len(whole))...)))}, core.CodeValidationFailed, "attachments[1].url"},
		"not base64":          {[]storytest.Fields{storytest.Picture("data:image/png;base64,$$$$")}, core.CodeValidationFailed, "attachments[0].url"},
		"an SVG":              {[]storytest.Fields{storytest.Picture("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte("<svg/>")))}, core.CodeValidationFailed, "attachments[0].url"},
		"a page":              {[]storytest.Fields{storytest.Picture(storytest.DataURL([]byte("<!doctype html><script>alert(1)</script>")))}, core.CodeValidationFailed, "attachments[0].url"},
		"a text as an image":  {[]storytest.Fields{storytest.Picture(storytest.DataURL([]byte("I am a picture, trust me")))}, core.CodeValidationFailed, "attachments[0].url"},
		"an image cut off":    {[]storytest.Fields{storytest.Picture(storytest.DataURL(whole[:len(whole)-20]))}, core.CodeValidationFailed, "truncated"},
		"a bomb":              {[]storytest.Fields{storytest.Picture(storytest.DataURL(bombImage(t)))}, core.CodeValidationFailed, "pixels"},
		"no scheme":           {[]storytest.Fields{storytest.Picture("images.example.com/a.png")}, core.CodeValidationFailed, "attachments[0].url"},
		"nothing":             {[]storytest.Fields{storytest.Picture("")}, core.CodeValidationFailed, "attachments[0].url"},
		"another type":        {[]storytest.Fields{{"type": "file", "url": good}}, core.CodeValidationFailed, "attachments[0].type"},
		"a file":              {[]storytest.Fields{storytest.Picture("file:///etc/passwd")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"the machine itself":  {[]storytest.Fields{storytest.Picture(inside.URL + "/a.png")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"a metadata service":  {[]storytest.Fields{storytest.Picture("http://169.254.169.254/latest/meta-data/")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"an unusual spelling": {[]storytest.Fields{storytest.Picture("http://0x7f000001/")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"no list":             {"x", core.CodeInvalidRequest, "attachments must be a list"},
		"no object":           {[]string{good}, core.CodeInvalidRequest, "attachments[0]"},
		"no url":              {[]storytest.Fields{{"type": "image"}}, core.CodeInvalidRequest, "attachments[0].url"},
		"a member too many":   {[]storytest.Fields{{"type": "image", "url": good, "name": "x"}}, core.CodeInvalidRequest, "attachments[0].name"},
	} {
		got := w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.Message("Look", wrong.attachments))
		if got.Status != http.StatusBadRequest || got.Code() != wrong.code || !strings.Contains(string(got.Body), wrong.says) {
			t.Errorf("%s: got %d %.300s, want %s and %q", name, got.Status, got.Body, wrong.code, wrong.says)
		}
	}
	if log := w.History(); len(log) > 0 {
		t.Errorf("got %v in the log, want nothing", log)
	}
	for name, nothing := range map[string]any{"an empty list": []storytest.Fields{}, "null": nil} {
		response := w.Open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.Message("Hello", nothing))
		if all := storytest.Events(t, response.Body); len(all) == 0 || all[len(all)-1].Kind() != "session.task_complete" {
			t.Errorf("%s: got %s, want an answer", name, storytest.Kinds(all))
		}
		_ = response.Body.Close()
	}
}

func repeated(one storytest.Fields, n int) []storytest.Fields {
	all := make([]storytest.Fields, n)
	for i := range all {
		all[i] = one
	}
	return all
}

func TestNoRedirectLeadsAFetchToAMetadataService(t *testing.T) {
	outside := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	defer outside.Close()
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"PRIVATE_NETWORKS": "allow"}).SignUp().Create("static-html")
	got := w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.Message("Look", []storytest.Fields{storytest.Picture(outside.URL + "/a.png")}))
	if got.Status != http.StatusBadRequest || got.Code() != core.CodeForbiddenAddress {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, core.CodeForbiddenAddress)
	}
}

// TestAttachmentsStandInTheLogWithoutTheirData also holds the events to the
// description, as every test here does.
func TestAttachmentsStandInTheLogWithoutTheirData(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			data := storytest.PNGImage(t, 7)
			all := w.Show("Look", storytest.DataURL(data))
			streamed, err := json.Marshal(all[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			attached, _ := all[0].Data["attachments"].([]any)
			if len(attached) != 1 {
				t.Fatalf("got %s, want one attachment", streamed)
			}
			one, _ := attached[0].(map[string]any)
			if one["type"] != "image" || one["mediaType"] != "image/png" || one["size"] != float64(len(data)) {
				t.Errorf("got %v, want a PNG of %d bytes", one, len(data))
			}
			if strings.Contains(string(streamed), "iVBOR") || strings.Contains(string(streamed), "data:") {
				t.Errorf("got %s, want no data", streamed)
			}
			logged, err := json.Marshal(w.History()[0])
			if err != nil || !sameJSON(t, logged, streamed) {
				t.Errorf("got %s in the log, %v, want %s as it was streamed", logged, err, streamed)
			}
			id, _ := one["id"].(string)
			checkImagesGoWithTheChat(w, core.ID(id), data)
		})
	}
}

func checkImagesGoWithTheChat(w *storytest.Work, id core.ID, data []byte) {
	w.T.Helper()
	images := w.App.Store.Tables().Attachments
	stored, err := images.ByID(w.T.Context(), id)
	if err != nil || !bytes.Equal(stored.Data, data) {
		w.T.Errorf("got %d bytes, %v, want the image", len(stored.Data), err)
	}
	stranger := w.Site.SignUp()
	for _, path := range []string{"/messages", "/stream"} {
		if got := stranger.Do(http.MethodGet, "/chat/"+string(w.ID)+path+storytest.Query("chatId", string(w.Chat)), nil); got.Status != http.StatusNotFound {
			w.T.Errorf("%s to another tenant: got %d %s, want 404", path, got.Status, got.Body)
		}
	}
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/chats"), map[string]string{"mode": core.ModeBuild}, nil)
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/chats/"+string(w.Chat)), nil, nil)
	if _, err := images.ByID(w.T.Context(), id); !core.IsCode(err, core.CodeNotFound) {
		w.T.Errorf("after the chat was deleted: got %v, want code not_found", err)
	}
}

// TestImagesOutliveTheProcess kills the process as soon as the model was asked about
// an image; with the next message it is shown the image again.
func TestImagesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	vendor := openGallery(t)
	var env []string
	for name, value := range vendor.env(core.ProviderOpenAI) {
		env = append(env, name+"="+value)
	}
	service := process.Start(t, process.Build(t), env...)
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	data := base64.StdEncoding.EncodeToString(storytest.PNGImage(t, 7))
	go func() {
		body, _ := json.Marshal(w.Message("Look", []storytest.Fields{storytest.Picture("data:image/png;base64," + data)}))
		request, err := http.NewRequest(http.MethodPost, w.URL+"/chat/"+string(w.ID)+"/messages", bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+w.Token)
		if response, err := w.Client.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	}()
	conformance.Eventually(t, "the model call", func() bool { return len(vendor.calls("Look")) > 0 })
	service.Kill()
	w.Client.CloseIdleConnections()
	service.Restart()
	w.Send("And again")
	calls := vendor.calls("And again")
	if len(calls) != 1 || strings.Count(string(calls[0]), data) != 1 {
		t.Errorf("got %d calls, want one with the image of the first message", len(calls))
	}
}
