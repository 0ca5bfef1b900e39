package attack_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/attack"
	"github.com/atelierhq/atelier/ports/backend"
)

// leakyEngine is an engine whose collection board has what was planted in others.
type leakyEngine struct {
	*memory.Engine
	// member is what of a planted record is shown, form how, and to whom.
	collection, member string
	form               func(text string) any
	as                 core.Attacker
	planted            []any
}

func (e *leakyEngine) Serve(w http.ResponseWriter, r *http.Request, at backend.Place, as backend.Identity) {
	isPlanting := as.Owner && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/"+e.collection+"/records")
	if isPlanting {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var values map[string]any
		_ = json.Unmarshal(body, &values)
		if text, ok := values[e.member].(string); ok {
			e.planted = append(e.planted, map[string]any{"id": fmt.Sprintf("%015d", len(e.planted)), "n": e.form(text), "collectionId": "pbc_board"})
		}
	}
	isReading := r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/board/records") && !as.Owner
	if !isReading || e.as == core.AttackStranger && as.Email == "" {
		e.Engine.Serve(w, r, at, as)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": e.planted, "totalItems": len(e.planted)})
}

// TestWhatWasPlantedIsFoundUnderAnyName has strangers get back what is private of others.
func TestWhatWasPlantedIsFoundUnderAnyName(t *testing.T) {
	t.Parallel()
	forms := map[string]func(text string) any{
		"as it is": func(text string) any { return text }, "in capitals": func(text string) any { return strings.ToUpper(text) },
		"within a text": func(text string) any { return "<" + text + ">" }, "as a part": func(text string) any { return text[1:11] },
		"in a list": func(text string) any { return []string{"", text} }, "in an object": func(text string) any { return map[string]any{"a": []any{map[string]any{"b": text}}} },
		"in hex": func(text string) any { return strings.ToUpper(hex.EncodeToString([]byte(text))) },
		"hashed": func(string) any { return "$2a$10$" + strings.Repeat("x", 53) },
	}
	secrets := map[string][]string{"users": {"email", "tokenKey", "pin"}, "customers": {"phone", "email", "notiz"}}
	tried := 0
	for collection, members := range secrets {
		for _, member := range members {
			for name, form := range forms {
				for _, as := range []core.Attacker{core.AttackGuest, core.AttackStranger} {
					tried++
					engine := &leakyEngine{Engine: memory.New(memory.Config{}), collection: collection, member: member, form: form, as: as}
					list := map[core.Attacker]string{core.AttackGuest: "", core.AttackStranger: signed}[as]
					found, err := attack.Run(t.Context(), engine, place(), boardOf(list))
					if err != nil {
						t.Fatal(err)
					}
					isFound := slices.ContainsFunc(highs(found), func(f core.Finding) bool {
						return f.Collection == "board" && f.As == as && slices.Equal(f.Fields, []string{"n"}) && (name == "hashed" || strings.Contains(f.Text, collection+"."+member))
					})
					if !isFound {
						t.Errorf("%s.%s %s for a %s: got %v, want it high and where it is from", collection, member, name, as, found)
					}
				}
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d schemas were attacked, want 60", tried)
	}
}

// boardOf returns a schema with private values, and a board that everybody or every user reads.
func boardOf(list string) backend.Schema {
	return backend.Schema{Collections: []backend.Collection{
		col("users", backend.Auth, [5]string{"-", "-", "", "id = " + me, "-"}, fld("pin", "text", opts{"hidden": true})),
		col("customers", backend.Base, [5]string{"-", "-", "-", "-", "-"}, fld("phone", "text", nil), fld("email", "email", nil), fld("notiz", "text", opts{"hidden": true})),
		col("board", backend.Base, [5]string{list, list, "-", "-", "-"}, fld("n", "text", nil)),
	}}
}

// TestWhatIsNotPrivateHasNoMark shows on the board what everybody may read.
func TestWhatIsNotPrivateHasNoMark(t *testing.T) {
	t.Parallel()
	schema := boardOf("")
	schema.Collections[1].Fields = append(schema.Collections[1].Fields, fld("motto", "text", nil))
	engine := &leakyEngine{Engine: memory.New(memory.Config{}), collection: "customers", member: "motto", form: func(text string) any { return text }}
	if found := highs(attacked(t, engine, schema, "motto")); len(found) > 0 || len(engine.planted) == 0 {
		t.Errorf("found %v in %v, want nothing", found, engine.planted)
	}
}

// TestViewsThatRenamePrivateFieldsAreHigh is with the engines themselves.
func TestViewsThatRenamePrivateFieldsAreHigh(t *testing.T) {
	t.Parallel()
	pocket := newPocketBase(t)
	queries := map[string]attack.Engine{
		"SELECT id, phone AS x FROM customers":                                         memory.New(memory.Config{}),
		"SELECT id, email AS x FROM customers":                                         pocket,
		"SELECT id, upper(phone) AS x FROM customers":                                  pocket,
		"SELECT id, (SELECT group_concat(phone) FROM customers) AS x FROM customers":   pocket,
		"SELECT id, substr(email, 3, 10) AS x FROM customers":                          pocket,
		"SELECT c.id AS id, json_array(c.phone, c.email) AS x FROM customers c":        pocket,
		"WITH c(id, x) AS (SELECT id, phone || '' FROM customers) SELECT id, x FROM c": pocket,
	}
	for query, engine := range queries {
		for as, list := range map[core.Attacker]string{core.AttackGuest: "", core.AttackStranger: signed} {
			schema := boardOf("-")
			view := col("report", backend.View, [5]string{list, list, "-", "-", "-"})
			text, _ := json.Marshal(query)
			view.Options = map[string]json.RawMessage{"viewQuery": text}
			add(&schema, view)
			found := attacked(t, engine, schema, query)
			if !slices.ContainsFunc(highs(found), func(f core.Finding) bool { return f.Collection == "report" && f.As == as }) {
				t.Errorf("%s for a %s: got %v, want it high", query, as, found)
			}
		}
	}
}
