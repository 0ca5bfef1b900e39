package httpapi

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

func TestQueriesAreReadStrictly(t *testing.T) {
	api := newTable(t, []rest.Route{rest.Open("GET", "/q", func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		hard, err := query.Bool("hard")
		if err != nil {
			return err
		}
		id, err := query.ID("id")
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, map[string]any{"hard": hard, "id": id})
	})})
	id := string(core.NewID())
	got := api.do("GET", "/q?hard=true&id="+id+"&other=%26", "")
	if got.member("hard") != true || got.text("id") != id {
		t.Errorf("got %d %s, want hard and %s", got.StatusCode, got.body, id)
	}
	for query, code := range map[string]string{
		"hard=yes": "invalid_request", "hard=1&hard=0": "invalid_request", "a=%zz": "invalid_request", "a;b": "invalid_request", "id=x": "not_found", "id=": "not_found",
	} {
		if got := api.do("GET", "/q?"+query, ""); got.text("error") != code {
			t.Errorf("%s: got %d %s, want %s", query, got.StatusCode, got.body, code)
		}
	}
}
