package backends_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestFormsAreSentWithoutAScript sends a page's form, with a file, as a browser without scripts does:
// on the preview and on the published site. The answers are records, each where they belong.
func TestFormsAreSentWithoutAScript(t *testing.T) {
	t.Parallel()
	b := &book{started(t).SignUp().Create("static-html")}
	b.save(core.BackendSchemaPath, object{"collections": []object{{"name": "messages", "createRule": "", "fields": []object{
		{"name": "name", "type": "text", "required": true}, {"name": "seats", "type": "number"}, {"name": "news", "type": "bool"},
		{"name": "days", "type": "select", "values": []string{"sat", "sun"}, "maxSelect": 2}, {"name": "plan", "type": "file", "maxSelect": 1},
	}}}})
	b.Put("index.html", `<!doctype html><title>x</title><form data-atelier action="thanks.html"><input name="name"><input name="seats"><input type="checkbox" name="news"><input type="file" name="plan"></form>`)
	b.Put("thanks.html", "<!doctype html><title>Thanks</title>Thanks!")
	site := b.publish(storytest.Fields{})
	for env, host := range map[core.DataEnv]string{core.DataTest: b.Preview(b.Caller), core.DataLive: site} {
		page := string(b.Do(http.MethodGet, host+"/", nil, "Accept", "text/html").Body)
		found := regexp.MustCompile(`<form method="post" action="([^"]+)" enctype="multipart/form-data"`).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s: got %s, want a form that a browser can send", env, page)
		}
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, field := range [][2]string{{"name", "Ana"}, {"seats", "3"}, {"news", "true"}, {"days", "sat"}, {"days", "sun"}, {"_website", ""}} {
			_ = form.WriteField(field[0], field[1])
		}
		file, _ := form.CreateFormFile("plan", "plan.txt")
		_, _ = file.Write([]byte("by the window"))
		_ = form.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, host+strings.ReplaceAll(found[1], "&amp;", "&"), &body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Header.Set("Origin", host)
		client := *b.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		got, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/thanks.html" {
			t.Errorf("%s: got %d to %q, want the page of thanks", env, got.StatusCode, got.Header.Get("Location"))
		}
		var list struct{ Items []object }
		b.Must(http.StatusOK, http.MethodGet, b.of(env, "messages", "records"), nil, &list)
		if len(list.Items) != 1 || list.Items[0]["name"] != "Ana" || list.Items[0]["seats"] != 3.0 || list.Items[0]["news"] != true || len(list.Items[0]["days"].([]any)) != 2 || list.Items[0]["plan"] == "" {
			t.Errorf("%s: got %v, want the answers as one record", env, list.Items)
		}
		if csv := string(b.Must(http.StatusOK, http.MethodGet, b.of(env, "messages", "export")+"?format=csv", nil, nil).Body); !strings.Contains(csv, "Ana") {
			t.Errorf("%s: got %q, want the answers in the export", env, csv)
		}
	}
}
