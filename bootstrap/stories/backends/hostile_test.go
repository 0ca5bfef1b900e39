package backends_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// unlimited lets a test send as many requests as it likes: a refusal would prove nothing.
const unlimited = "BACKEND_REQUESTS_PER_SECOND=100000"

// hostileSchemas is how many schemas are made up, besides those that somebody thought of.
const hostileSchemas = 60

// TestHostileSchemasAreContained: whatever a project's schema says, nothing fails but that
// project, and its neighbour's data stays as it is.
func TestHostileSchemasAreContained(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	site := started(t, unlimited)
	neighbour := newBook(site.SignUp())
	host := neighbour.Preview(neighbour.Caller)
	before := fmt.Sprint(neighbour.entries(host))
	b := &book{site.SignUp().Create(storytest.Template)}
	b.save(core.BackendSchemaPath, club())
	preview := b.Preview(b.Caller)
	schemas := knownSchemas()
	for range hostileSchemas {
		schemas = append(schemas, mutated(random, club()))
	}
	for i, schema := range schemas {
		b.Put(core.BackendSchemaPath, schema)
		for what, got := range map[string]storytest.Answer{
			"the status": b.Do(http.MethodGet, b.Path("/backend"), nil), "a page": b.Fetch(preview + "/_data/collections/posts/records"),
			"a view": b.Fetch(preview + "/_data/collections/totals/records"), "an import": b.Do(http.MethodGet, b.of(core.DataTest, "posts", "records"), nil),
		} {
			if got.Status >= http.StatusInternalServerError && got.Status != http.StatusServiceUnavailable {
				t.Errorf("seed %d, schema %d: %s answered %d %.300s for %.2000s", seed, i, what, got.Status, got.Body, schema)
			}
		}
		if got := neighbour.Fetch(host + "/_data/collections/entries/records"); got.Status != http.StatusOK && got.Status != http.StatusServiceUnavailable {
			t.Errorf("seed %d, schema %d: the neighbour answered %d for %.2000s", seed, i, got.Status, schema)
		}
	}
	if got := fmt.Sprint(neighbour.entries(host)); got != before {
		t.Errorf("got %s of the neighbour, want %s", got, before)
	}
	b.save(core.BackendSchemaPath, club())
	if state := b.status(); len(state.Diagnostics) > 0 && state.Environments.Test.Pending == nil {
		t.Errorf("got %v for a good schema, want it in force", state.Diagnostics)
	}
}

// knownSchemas are hostile schemas that somebody thought of.
func knownSchemas() []string {
	of := func(collections ...object) string {
		text, _ := json.Marshal(object{"collections": collections})
		return string(text)
	}
	all := []string{
		"", "null", "[]", "\x00", "\xff\xfe", `{"collections":null}`, `{"collections":[null]}`, `{"collections":{}}`, strings.Repeat("[", 100_000), strings.Repeat(`{"collections":[`, 20_000),
		`{"collections":[` + strings.Repeat(`{"name":"a"},`, 5000) + `{"name":"b"}]}`, `{"collections":[{"name":"` + strings.Repeat("a", 500_000) + `"}]}`,
	}
	for _, name := range []string{"_superusers", "_params", "_collections", "sqlite_master", "_externalAuths", "a'b", "a\"b", "a;b", "a b", "..", "", "select", "users\x00", "Ünï", "_atelier"} {
		all = append(all, of(object{"name": name, "listRule": "", "fields": []object{{"name": name, "type": "text"}}}))
	}
	for _, query := range []string{
		"SELECT * FROM _superusers", "SELECT id, password FROM users", "SELECT id, tokenKey AS t FROM users", "SELECT id, value FROM _params", "SELECT 1", "DROP TABLE posts",
		"SELECT id FROM posts; DROP TABLE posts", "SELECT id FROM pragma_table_info('posts')", "SELECT load_extension('x') AS id", "SELECT id, readfile('/etc/passwd') AS f FROM posts",
		"WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM n) SELECT id FROM n", "SELECT id, zeroblob(1000000000) AS z FROM posts", "SELECT id FROM totals", "ATTACH '/tmp/x' AS x",
		"SELECT " + strings.Repeat("(", 5000) + "id" + strings.Repeat(")", 5000) + " FROM posts", "SELECT id, randomblob(100000000) AS r FROM posts", "SELECT (SELECT group_concat(sql) FROM sqlite_master) AS id",
	} {
		all = append(all, of(object{"name": "posts", "fields": []object{{"name": "title", "type": "text"}}}, object{"name": "totals", "type": "view", "listRule": "", "viewQuery": query}))
	}
	for _, index := range []string{"CREATE INDEX x ON _superusers (id)", "CREATE INDEX x ON posts (title); DROP TABLE posts", "DROP TABLE posts", "CREATE TRIGGER x AFTER INSERT ON posts BEGIN DELETE FROM posts; END", "CREATE UNIQUE INDEX x ON posts ((SELECT 1))", "CREATE INDEX `x` ON posts (load_extension('x'))"} {
		all = append(all, of(object{"name": "posts", "indexes": []string{index}, "fields": []object{{"name": "title", "type": "text"}}}))
	}
	for _, rule := range []string{"1=1", "@collection._superusers.id != ''", "id = (SELECT 1)", strings.Repeat("(", 3000) + "1=1" + strings.Repeat(")", 3000), strings.Repeat("id=1||", 20_000) + "id=1", "@request.auth.id:each = 1", "\x00", "geoDistance(1,2,3,4) > 1", strings.Repeat("author.", 200) + "id = 1"} {
		all = append(all, of(object{"name": "posts", "listRule": rule, "viewRule": rule, "createRule": rule, "fields": []object{{"name": "title", "type": "text"}}}))
	}
	return all
}

// poison are values that take the place of others.
var poison = []any{
	nil, true, -1, 1e308, 9007199254740993.0, "", "\x00", "' OR 1=1 --", "../../x", "SELECT 1", "_superusers", strings.Repeat("x", 10_000), []any{}, []any{nil, []any{}},
	object{}, object{"name": "x"}, "(a+)+$", "${jndi:x}", "🦄", "id", "users", "a' ; DROP TABLE posts; --", strings.Repeat("(", 500), []any{"a", "a"}, "CREATE INDEX x ON posts (title)",
}

// mutated returns a schema with some values replaced, doubled or removed.
func mutated(random *rand.Rand, schema object) string {
	text, _ := json.Marshal(schema)
	var tree any
	_ = json.Unmarshal(text, &tree)
	for range 1 + random.IntN(4) {
		tree = poisoned(random, tree)
	}
	text, _ = json.Marshal(tree)
	return string(text)
}

// poisoned replaces one value below a node.
func poisoned(random *rand.Rand, node any) any {
	switch at := node.(type) {
	case object:
		for name := range at {
			switch random.IntN(6) {
			case 0:
				at[name] = poison[random.IntN(len(poison))]
				return at
			case 1:
				if random.IntN(4) == 0 {
					delete(at, name)
					return at
				}
			default:
				if at[name] != nil {
					at[name] = poisoned(random, at[name])
					return at
				}
			}
		}
	case []any:
		if len(at) > 0 {
			i := random.IntN(len(at))
			if random.IntN(10) == 0 {
				return append(at, at[i])
			}
			at[i] = poisoned(random, at[i])
			return at
		}
	}
	return poison[random.IntN(len(poison))]
}

// TestNoProjectReachesAnother takes what belongs to one project to another one: on its hosts and
// links, by its paths, with its tokens, and as filters, files and topics.
func TestNoProjectReachesAnother(t *testing.T) {
	t.Parallel()
	site := started(t, unlimited)
	victim, own := newVault(site.SignUp(), "secret-of-the-victim"), newVault(site.SignUp(), "of-the-attacker")
	preview, published := own.Preview(own.Caller), own.publish(storytest.Fields{})
	// The same person signed up everywhere.
	_, foreign := victim.signUp(victim.Preview(victim.Caller), "mallory@example.com")
	_, session := own.signUp(preview, "mallory@example.com")
	_, liveSession := own.signUp(published, "mallory@example.com")
	headers := []string{"Atelier-Place: " + victim.place(), `Atelier-As: {"Owner":true}`, "X-Forwarded-Host: " + hostOf(victim.Preview(victim.Caller)), "X-Original-Url: /_data/collections/vault/records"}
	var link struct{ URL string }
	own.Must(http.StatusCreated, http.MethodPost, own.Path("/links"), storytest.Fields{"hours": 1}, &link)
	for _, host := range []string{preview, published, link.URL} {
		for _, path := range victim.paths(foreign) {
			for _, token := range []string{"", foreign, session, liveSession, victim.Token, own.Token} {
				isHidden(t, host, path, token, "")
			}
			for _, header := range headers {
				isHidden(t, host, path, session, header)
			}
		}
	}
	for _, token := range []string{foreign, liveSession} {
		if status, answer := own.page(preview, http.MethodPost, "collections/users/auth-refresh", token, nil); status/100 != 4 {
			t.Errorf("got %d %v for a session of elsewhere, want a refusal", status, answer)
		}
	}
	if status, answer := own.page(preview, http.MethodPost, "collections/vault/records", session, object{"text": "x", "friend": victim.record}); status/100 != 4 {
		t.Errorf("got %d %v for a relation to another project's record, want a refusal", status, answer)
	}
}

// isHidden checks that an answer has nothing of the victim's, and is no failure.
func isHidden(t *testing.T, host, path, token, header string) {
	t.Helper()
	status, answer := raw(t, host, path, token, header)
	if strings.Contains(answer, "secret-of-the-victim") || status >= 500 && status != http.StatusServiceUnavailable {
		t.Fatalf("%s%s with %q and %.20s: got %d %.500s", host, path, header, token, status, answer)
	}
}

// vault is a project with a record that nobody may read.
type vault struct {
	*book
	record, file string
}

func newVault(c *storytest.Caller, secret string) *vault {
	v := &vault{book: &book{c.Create(storytest.Template)}}
	const own = "@request.auth.id != '' && owner = @request.auth.id"
	v.save(core.BackendSchemaPath, object{"collections": []object{
		{"name": "users", "type": "auth", "createRule": ""},
		{"name": "vault", "listRule": own, "viewRule": own, "createRule": "@request.auth.id != ''", "fields": []object{
			{"name": "text", "type": "text"}, {"name": "owner", "type": "relation", "collection": "users", "maxSelect": 1},
			{"name": "friend", "type": "relation", "collection": "vault", "maxSelect": 1}, {"name": "picture", "type": "file", "maxSelect": 1, "protected": true},
		}},
	}})
	var made object
	v.Must(http.StatusCreated, http.MethodPost, v.of(core.DataTest, "vault", "records"), form(c.T, []byte(secret), "text", secret), &made)
	v.record, _ = made["id"].(string)
	v.file, _ = made["picture"].(string)
	return v
}

// place is the header by which the service tells its worker where data is.
func (v *vault) place() string { return fmt.Sprintf(`{"Project":%q,"Env":"test"}`, v.ID) }

// paths are what somebody might ask for to reach the vault.
func (v *vault) paths(token string) []string {
	id := string(v.ID)
	all := []string{"collections/vault/records", "collections/vault/records/" + v.record, "files/vault/" + v.record + "/" + v.file, "files/vault/" + v.record + "/" + v.file + "?token=" + token}
	for _, filter := range []string{"id='" + v.record + "'", "@collection.vault.text != ''", "friend='" + v.record + "'", "text ~ 'secret'", "@request.auth.id != '' || 1=1"} {
		all = append(all, "collections/vault/records?expand=friend&filter="+url.QueryEscape(filter))
	}
	for _, way := range []string{"../" + id + "/test", "..%2f" + id + "%2ftest", "%2e%2e/%2e%2e/" + id, "../../backends/" + id + "/test/data", "....//" + id, "..\\" + id, "%00/" + id, "/" + id, "api/../../" + id} {
		all = append(all, way+"/collections/vault/records", "files/vault/"+v.record+"/"+way+"/data.db", "files/"+way+"/"+v.record+"/"+v.file, "collections/"+way+"/vault/records")
	}
	for i, path := range all {
		all[i] = "/_data/" + path
	}
	return append(all, "/_data", "/_data/", "//_data//collections", "/_fn/../_data/collections/vault/records", "/call/schema", "/_data/../call/query")
}

func hostOf(address string) string {
	at, _ := url.Parse(address)
	return at.Host
}

// raw sends a request as it is written: no client cleans its path.
func raw(t *testing.T, host, path, token, header string) (int, string) {
	t.Helper()
	_, port, err := net.SplitHostPort(hostOf(host))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := []string{"GET " + path + " HTTP/1.1", "Host: " + hostOf(host), "Connection: close"}
	if token != "" {
		lines = append(lines, "Authorization: "+token)
	}
	if header != "" {
		lines = append(lines, header)
	}
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content)
}
