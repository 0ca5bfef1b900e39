package backends_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// calls are a page of the log of an environment, the newest first.
func (b *book) calls(env core.DataEnv, query string) (items []core.BackendCall, next string) {
	b.T.Helper()
	var page struct {
		Items      []core.BackendCall
		NextCursor *string
	}
	b.Must(http.StatusOK, http.MethodGet, b.Path("/backend/"+string(env)+"/logs"+query), nil, &page)
	if page.NextCursor != nil {
		next = *page.NextCursor
	}
	return page.Items, next
}

// told writes calls in short, the oldest first.
func told(calls []core.BackendCall) []string {
	var lines []string
	for _, call := range calls {
		line := fmt.Sprintf("%s %s %s %d %s", call.Kind, call.Method, call.Path, call.Status, call.User)
		lines = append(lines, strings.TrimSpace(line))
	}
	slices.Reverse(lines)
	return lines
}

func (b *book) wantCalls(got []core.BackendCall, want ...string) {
	b.T.Helper()
	if lines := told(got); !slices.Equal(lines, want) {
		b.T.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestMembersReadWhatPagesAskedFor(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	b.Put("functions/greet.ts", `export default async (req: Request, ctx: any) => {
  ctx.log("greeting", ctx.user?.email ?? "a guest");
  console.warn("mind the gap");
  if (req.method !== "GET") throw new Error("nobody may write: " + (await req.text()));
  return new Response("hello");
};`)
	preview := b.Preview(b.Caller)
	b.page(preview, http.MethodGet, "collections/entries/records?page=1&filter=text%3D'private'", "", nil)
	id, session := b.signUp(preview, "bob@example.com")
	b.page(preview, http.MethodPost, "collections/entries/records", session, object{"author": id})
	if got := b.function(preview, http.MethodGet, "greet/deeper?token=secret", session, ""); got.Status != http.StatusOK {
		t.Fatalf("got %d %s, want an answer", got.Status, got.Body)
	}
	if got := b.function(preview, http.MethodPost, "greet", "", "a secret body"); got.Status != http.StatusInternalServerError || strings.Contains(string(got.Body), "nobody may") {
		t.Errorf("got %d %s, want a failure without its text", got.Status, got.Body)
	}
	b.function(preview, http.MethodGet, "missing", "", "")
	all, _ := b.calls(core.DataTest, "?limit=100")
	b.wantCalls(
		all,
		"request GET /_data/collections/entries/records?filter=…&page=1 200",
		"request POST /_data/collections/users/records 200",
		"request POST /_data/collections/users/auth-with-password 200",
		"request POST /_data/collections/entries/records 400 users/"+id,
		"function GET /_fn/greet/deeper 200 users/"+id,
		"function POST /_fn/greet 500",
		"function GET /_fn/missing 404",
	)
	b.failures(all)
	b.narrowed(id)
	b.logsOfLiveData()
}

// function calls a function as a page does.
func (b *book) function(host, method, name, token, body string) storytest.Answer {
	b.T.Helper()
	return (&storytest.Caller{Site: b.Site, Token: token}).Do(method, host+"/_fn/"+name, storytest.Form{Reader: strings.NewReader(body), Kind: "text/plain"})
}

// failures: an entry says why, and has no body.
func (b *book) failures(all []core.BackendCall) {
	b.T.Helper()
	failed, answered, refused := all[1], all[2], all[3]
	if !strings.Contains(failed.Error, "nobody may write") || len(failed.Console) != 2 || failed.Console[0].Text != "greeting a guest" || failed.Console[1].Level != "warn" {
		b.T.Errorf("got %+v, want the exception and the console", failed)
	}
	if answered.Error != "" || answered.Console[0].Text != "greeting bob@example.com" {
		b.T.Errorf("got %+v, want the console", answered)
	}
	if !strings.Contains(refused.Error, "text: ") {
		b.T.Errorf("got %+v, want what is wrong with the record", refused)
	}
}

// narrowed reads parts of the log.
func (b *book) narrowed(id string) {
	b.T.Helper()
	failed, _ := b.calls(core.DataTest, "?failed=true")
	b.wantCalls(failed, "request POST /_data/collections/entries/records 400 users/"+id, "function POST /_fn/greet 500", "function GET /_fn/missing 404")
	runs, next := b.calls(core.DataTest, "?kind=function&limit=2")
	b.wantCalls(runs, "function POST /_fn/greet 500", "function GET /_fn/missing 404")
	rest, end := b.calls(core.DataTest, "?kind=function&limit=2&cursor="+next)
	b.wantCalls(rest, "function GET /_fn/greet/deeper 200 users/"+id)
	if end != "" {
		b.T.Errorf("got the cursor %q at the end", end)
	}
	b.Refused(http.StatusBadRequest, core.CodeInvalidCursor, http.MethodGet, b.Path("/backend/test/logs?cursor="+next), nil)
	for _, query := range []string{"?kind=mail", "?kind=", "?failed=1", "?limit=0"} {
		b.Refused(http.StatusBadRequest, core.CodeInvalidRequest, http.MethodGet, b.Path("/backend/test/logs"+query), nil)
	}
	b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, b.Path("/backend/other/logs"), nil)
	stranger := b.Site.SignUp()
	stranger.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, b.Path("/backend/test/logs"), nil)
}

// logsOfLiveData: each environment has its own.
func (b *book) logsOfLiveData() {
	b.T.Helper()
	if live, _ := b.calls(core.DataLive, ""); len(live) != 0 {
		b.T.Errorf("got %v, want nothing before the publish", told(live))
	}
	site := b.publish(storytest.Fields{})
	b.entries(site)
	b.function(site, http.MethodGet, "greet", "", "")
	live, _ := b.calls(core.DataLive, "")
	b.wantCalls(live, "request GET /_data/collections/entries/records 200", "function GET /_fn/greet 200")
}
