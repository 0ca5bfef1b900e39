package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestTheAgentMendsAFunctionThatFails: strangers are not told why a function fails, the agent is.
func TestTheAgentMendsAFunctionThatFails(t *testing.T) {
	const broken = `export default async (req: Request, ctx: any) => {
  ctx.log("asked by", ctx.user?.email ?? "a guest");
  const stock: any = undefined;
  return new Response("left: " + stock.count);
};`
	logs := storytest.Calls("backend_logs")
	w := notes(t, map[string][]storytest.ToolCall{
		"build": {
			storytest.Calls("write_file", "path", "backend/schema.json", "content", notesSchema),
			storytest.Calls("write_file", "path", "functions/stock.ts", "content", broken),
			logs,
		},
		"mend": {
			logs,
			storytest.Calls("edit_file", "path", "functions/stock.ts", "oldText", "const stock: any = undefined;", "newText", "const stock: any = { count: 3 };"),
		},
		"look": {storytest.Calls("backend_logs")},
	})
	wantResults(t, w.Send("build"), "created", "created", "has nothing yet")
	address := w.Preview(w.Caller) + "/_fn/stock"
	guest := &storytest.Caller{Site: w.Site}
	if got := guest.Do(http.MethodGet, address, nil); got.Status != http.StatusInternalServerError || strings.Contains(string(got.Body), "count") {
		t.Errorf("got %d %s, want a failure that tells a stranger nothing", got.Status, got.Body)
	}
	all := w.Send("mend")
	wantResults(t, all, "GET /_fn/stock: 500", "stock.ts")
	if got := results(all)[0]; !strings.Contains(got, "count") || !strings.Contains(got, "console info: asked by a guest") {
		t.Errorf("got %q, want the exception and the console", got)
	}
	if got := guest.Do(http.MethodGet, address, nil); got.Status != http.StatusOK || string(got.Body) != "left: 3" {
		t.Errorf("got %d %s, want the function mended", got.Status, got.Body)
	}
	wantResults(t, w.Send("look"), "GET /_fn/stock: 200")
}
