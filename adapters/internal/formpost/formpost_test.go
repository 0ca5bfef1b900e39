package formpost_test

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/formpost"
	"github.com/atelierhq/atelier/core"
)

const address = "https://shop.example/_data/forms/messages?from=%2Fa&next=%2Fthanks.html%3Fa%3D1"

func post(target, kind, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

const plain = "application/x-www-form-urlencoded"

func TestAFormBecomesARecord(t *testing.T) {
	r := post(address, plain, "name=Ana&tag=a&tag=b&empty=&_website=&_x=1&%40jsonPayload=%7B%7D", "Authorization", "token")
	got, err := formpost.Read(httptest.NewRecorder(), r)
	if err != nil || got.Spam || got.Collection != "messages" || got.From != "/a" || got.Next != "/thanks.html?a=1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	made := got.Request(r)
	body, _ := io.ReadAll(made.Body)
	if made.URL.String() != "/_data/collections/messages/records" || string(body) != `{"empty":"","name":"Ana","tag":["a","b"]}` || made.Header.Get("Authorization") != "" {
		t.Errorf("got %s %s %v", made.URL, body, made.Header)
	}
	if lost := got.Lost([]byte(`{"name":"Ana","id":"1"}`)); strings.Join(lost, " ") != "empty tag" {
		t.Errorf("got %v, want the fields that the record does not have", lost)
	}
}

func TestFilesComeAlong(t *testing.T) {
	var body strings.Builder
	out := multipart.NewWriter(&body)
	_ = out.WriteField("name", "Ana")
	file, _ := out.CreateFormFile("photo", "a \"b\".png")
	_, _ = io.WriteString(file, "PNG")
	_, _ = out.CreateFormFile("none", "")
	_ = out.Close()
	r := post(address, out.FormDataContentType(), body.String())
	got, err := formpost.Read(httptest.NewRecorder(), r)
	if err != nil {
		t.Fatal(err)
	}
	made := got.Request(r)
	_, parameters, _ := mime.ParseMediaType(made.Header.Get("Content-Type"))
	form, err := multipart.NewReader(made.Body, parameters["boundary"]).ReadForm(1 << 20)
	if err != nil || form.Value["name"][0] != "Ana" || len(form.File["photo"]) != 1 || form.File["photo"][0].Filename != `a "b".png` || len(form.File["none"]) != 0 {
		t.Errorf("got %+v, %v", form, err)
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		r    *http.Request
		code core.Code
	}{
		"another site, as browsers say":   {post(address, plain, "a=1", "Sec-Fetch-Site", "cross-site"), core.CodeForbidden},
		"a neighbour":                     {post(address, plain, "a=1", "Sec-Fetch-Site", "same-site"), core.CodeForbidden},
		"another origin":                  {post(address, plain, "a=1", "Origin", "https://evil.example"), core.CodeForbidden},
		"JSON":                            {post(address, "application/json", "{}"), core.CodeInvalidRequest},
		"plain text":                      {post(address, "text/plain", "a=1"), core.CodeInvalidRequest},
		"no type":                         {post(address, "", "a=1"), core.CodeInvalidRequest},
		"a broken escape":                 {post(address, plain, "a=%zz"), core.CodeInvalidRequest},
		"no boundary":                     {post(address, "multipart/form-data", "a"), core.CodeInvalidRequest},
		"parts that end too early":        {post(address, "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb"), core.CodeInvalidRequest},
		"too many fields":                 {post(address, plain, many(201)), core.CodeInvalidRequest},
		"too many bytes":                  {post(address, plain, "a="+strings.Repeat("x", 1<<20)), core.CodePayloadTooLarge},
		"too many bytes in parts":         {post(address, "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b\"\r\n\r\n"+strings.Repeat("x", 11<<20)), core.CodePayloadTooLarge},
		"its own origin, as old browsers": {post(address, plain, "a=1", "Origin", "https://shop.example"), ""},
		"a page without a referrer":       {post(address, plain, "a=1", "Origin", "null"), ""},
		"its own site":                    {post(address, plain, "a=1", "Sec-Fetch-Site", "same-origin"), ""},
	} {
		if _, err := formpost.Read(httptest.NewRecorder(), c.r); core.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want code %q", name, err, c.code)
		}
	}
}

func many(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString("&f" + strings.Repeat("x", i) + "=1")
	}
	return b.String()
}

func TestWhatNoPersonSeesStaysEmpty(t *testing.T) {
	if got, err := formpost.Read(httptest.NewRecorder(), post(address, plain, "name=Ana&_website=http%3A%2F%2Fspam.example")); err != nil || !got.Spam {
		t.Errorf("got %+v, %v, want spam", got, err)
	}
}

func TestAFormLeadsNowhereElse(t *testing.T) {
	for _, to := range []string{"https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "evil", "javascript%3Aalert(1)", "%2F%0D%0AX%3A%201", "%2F%09%2Fevil.example"} {
		got := formpost.At(post("https://shop.example/_data/forms/a?from="+to+"&next="+to, plain, ""))
		if got.From != "/" || got.Next != "" {
			t.Errorf("%s: got %+v, want no other host", to, got)
		}
	}
}

func TestPathsOfForms(t *testing.T) {
	for path, want := range map[string]bool{
		"/_data/forms/messages": true, "/_data/forms/": false, "/_data/forms/a/b": false, "/_data/forms/../x": false,
		"/_data/forms/1a": false, "/_data/forms/a-b": false, "/_data/form/a": false, "/_data/forms/a%2Fb": false,
	} {
		if got := formpost.Is(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
