package bootstrap_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

func pngImage(t testing.TB, width int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

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
	data := pngImage(t, 1)
	binary.BigEndian.PutUint32(data[16:], 16_000)
	binary.BigEndian.PutUint32(data[20:], 16_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func dataURL(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// picture is one attachment of a message.
func picture(url string) fields { return fields{"type": "image", "url": url} }

// message is a body with attachments.
func (w *work) message(text string, attachments any) fields {
	return fields{"chatId": w.chat, "text": text, "attachments": attachments}
}

// show sends a message with images and reads its stream to the end.
func (w *work) show(text string, urls ...string) []event {
	w.t.Helper()
	attached := []fields{}
	for _, url := range urls {
		attached = append(attached, picture(url))
	}
	response := w.open(w.t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.message(text, attached))
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.t.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	return events(w.t, response.Body)
}

func TestAWrongAttachmentIsRefusedBeforeTheStream(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request inside, want none") }))
	defer inside.Close()
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	good := dataURL(pngImage(t, 3))
	whole := pngImage(t, 40)
	for name, wrong := range map[string]struct {
		attachments any
		code        core.Code
		says        string
	}{
		"nine":                {repeated(picture(good), 9), core.CodeValidationFailed, "at most 8"},
		"5 MiB and one byte":  {[]fields{picture(good), picture(dataURL(append(whole, make([]byte, core.MaxImageBytes+1-len(whole))...)))}, core.CodeValidationFailed, "attachments[1].url"},
		"not base64":          {[]fields{picture("data:image/png;base64,$$$$")}, core.CodeValidationFailed, "attachments[0].url"},
		"an SVG":              {[]fields{picture("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte("<svg/>")))}, core.CodeValidationFailed, "attachments[0].url"},
		"a page":              {[]fields{picture(dataURL([]byte("<!doctype html><script>alert(1)</script>")))}, core.CodeValidationFailed, "attachments[0].url"},
		"a text as an image":  {[]fields{picture(dataURL([]byte("I am a picture, trust me")))}, core.CodeValidationFailed, "attachments[0].url"},
		"an image cut off":    {[]fields{picture(dataURL(whole[:len(whole)-20]))}, core.CodeValidationFailed, "cut off"},
		"a bomb":              {[]fields{picture(dataURL(bombImage(t)))}, core.CodeValidationFailed, "pixels"},
		"no scheme":           {[]fields{picture("images.example.com/a.png")}, core.CodeValidationFailed, "attachments[0].url"},
		"nothing":             {[]fields{picture("")}, core.CodeValidationFailed, "attachments[0].url"},
		"another type":        {[]fields{{"type": "file", "url": good}}, core.CodeValidationFailed, "attachments[0].type"},
		"a file":              {[]fields{picture("file:///etc/passwd")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"the machine itself":  {[]fields{picture(inside.URL + "/a.png")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"a metadata service":  {[]fields{picture("http://169.254.169.254/latest/meta-data/")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"an unusual spelling": {[]fields{picture("http://0x7f000001/")}, core.CodeForbiddenAddress, "attachments[0].url"},
		"no list":             {"x", core.CodeInvalidRequest, "attachments must be a list"},
		"no object":           {[]string{good}, core.CodeInvalidRequest, "attachments[0]"},
		"no url":              {[]fields{{"type": "image"}}, core.CodeInvalidRequest, "attachments[0].url"},
		"a member too many":   {[]fields{{"type": "image", "url": good, "name": "x"}}, core.CodeInvalidRequest, "attachments[0].name"},
	} {
		got := w.do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.message("Look", wrong.attachments))
		if got.status != http.StatusBadRequest || got.code() != wrong.code || !strings.Contains(string(got.body), wrong.says) {
			t.Errorf("%s: got %d %.300s, want %s and %q", name, got.status, got.body, wrong.code, wrong.says)
		}
	}
	if log := w.history(); len(log) > 0 {
		t.Errorf("got %v in the log, want nothing", log)
	}
	for name, nothing := range map[string]any{"an empty list": []fields{}, "null": nil} {
		response := w.open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.message("Hello", nothing))
		if all := events(t, response.Body); len(all) == 0 || all[len(all)-1].kind() != "session.task_complete" {
			t.Errorf("%s: got %s, want an answer", name, kinds(all))
		}
		_ = response.Body.Close()
	}
}

func repeated(one fields, n int) []fields {
	all := make([]fields, n)
	for i := range all {
		all[i] = one
	}
	return all
}

func TestNoRedirectLeadsAFetchToAMetadataService(t *testing.T) {
	outside := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	defer outside.Close()
	w := serve(t, t.TempDir(), local.New, map[string]string{"PRIVATE_NETWORKS": "allow"}).signUp().create("static-html")
	got := w.do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.message("Look", []fields{picture(outside.URL + "/a.png")}))
	if got.status != http.StatusBadRequest || got.code() != core.CodeForbiddenAddress {
		t.Errorf("got %d %s, want %s", got.status, got.body, core.CodeForbiddenAddress)
	}
}

// TestAttachmentsStandInTheLogWithoutTheirData also holds the events to the
// description, as every test here does.
func TestAttachmentsStandInTheLogWithoutTheirData(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			data := pngImage(t, 7)
			all := w.show("Look", dataURL(data))
			streamed, err := json.Marshal(all[0].data)
			if err != nil {
				t.Fatal(err)
			}
			attached, _ := all[0].data["attachments"].([]any)
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
			logged, err := json.Marshal(w.history()[0])
			if err != nil || !sameJSON(t, logged, streamed) {
				t.Errorf("got %s in the log, %v, want %s as it was streamed", logged, err, streamed)
			}
			id, _ := one["id"].(string)
			w.checkImagesGoWithTheChat(core.ID(id), data)
		})
	}
}

func (w *work) checkImagesGoWithTheChat(id core.ID, data []byte) {
	w.t.Helper()
	images := w.app.Store.Tables().Attachments
	stored, err := images.ByID(w.t.Context(), id)
	if err != nil || !bytes.Equal(stored.Data, data) {
		w.t.Errorf("got %d bytes, %v, want the image", len(stored.Data), err)
	}
	stranger := w.site.signUp()
	for _, path := range []string{"/messages", "/stream"} {
		if got := stranger.do(http.MethodGet, "/chat/"+string(w.ID)+path+query("chatId", string(w.chat)), nil); got.status != http.StatusNotFound {
			w.t.Errorf("%s to another tenant: got %d %s, want 404", path, got.status, got.body)
		}
	}
	w.must(http.StatusCreated, http.MethodPost, w.path("/chats"), map[string]string{"mode": core.ModeBuild}, nil)
	w.must(http.StatusNoContent, http.MethodDelete, w.path("/chats/"+string(w.chat)), nil, nil)
	if _, err := images.ByID(w.t.Context(), id); !core.IsCode(err, core.CodeNotFound) {
		w.t.Errorf("after the chat was deleted: got %v, want code not_found", err)
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
	w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create("static-html")
	data := base64.StdEncoding.EncodeToString(pngImage(t, 7))
	go func() {
		body, _ := json.Marshal(w.message("Look", []fields{picture("data:image/png;base64," + data)}))
		request, err := http.NewRequest(http.MethodPost, w.url+"/chat/"+string(w.ID)+"/messages", bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+w.token)
		if response, err := w.http.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	}()
	for begun := time.Now(); len(vendor.calls("Look")) == 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal("the model was not asked within 20 s")
		}
	}
	service.Kill()
	w.http.CloseIdleConnections()
	service.Restart()
	w.send("And again")
	calls := vendor.calls("And again")
	if len(calls) != 1 || strings.Count(string(calls[0]), data) != 1 {
		t.Errorf("got %d calls, want one with the image of the first message", len(calls))
	}
}
