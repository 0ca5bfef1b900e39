package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// The files of a project with a backend: a page, its records, and a function that creates one.
const (
	notesSchema = `{"collections":[{"name":"notes","listRule":"","viewRule":"","createRule":"",
		"fields":[{"name":"text","type":"text"},{"name":"picture","type":"file","maxSelect":1}]}]}`
	noteFunction = `export default async (req, ctx) => {
		const { text } = await req.json();
		const made = await ctx.data.collection("notes").create({ text });
		return Response.json({ id: made.id });
	}`
)

func TestBackendsOutliveTheProcessThatHasThem(t *testing.T) {
	c := prepare(t)
	serves, addresses := c.servePeers(3)
	b := c.board(notesSchema)
	b.create(core.MustPath("functions/note.ts"), noteFunction)
	b.publish()

	t.Run("records, files, functions and members through every process", func(t *testing.T) { b.everywhere(t, serves) })
	t.Run("a listener hears what is created elsewhere", func(t *testing.T) { b.hears(t, serves) })
	t.Run("a killed owner loses nothing", func(t *testing.T) {
		owner := addresses[b.owner(t)]
		if owner == nil {
			t.Fatal("got no process with the data")
		}
		b.killed(t, owner, serves)
	})
	t.Run("a process that ends hands over at once", func(t *testing.T) {
		owner := addresses[b.owner(t)]
		owner.Stop()
		for _, at := range serves {
			if at != owner {
				wait(t, "the data elsewhere", func() bool { return b.write(at, "after a stop "+string(core.NewID())) == http.StatusOK })
			}
		}
		owner.Restart()
		b.holds(t, serves)
	})
}

// servePeers starts processes, and returns them also by the addresses at which they reach each other.
func (c *cluster) servePeers(n int) ([]*process.Service, map[string]*process.Service) {
	c.t.Helper()
	var serves []*process.Service
	addresses := map[string]*process.Service{}
	for range n {
		address := fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(c.t))
		at := c.serve("PEER_ADDR=" + address)
		if c.first == nil {
			c.first = at
		}
		addresses[address], serves = at, append(serves, at)
	}
	return serves, addresses
}

// board makes an application with records, which is not published yet.
func (c *cluster) board(schema string) *board {
	c.t.Helper()
	b := &board{cluster: c, who: c.signUp(), client: &http.Client{Timeout: 30 * time.Second}, acknowledged: map[string]bool{}}
	b.create(core.MustPath(core.BackendSchemaPath), schema)
	return b
}

// board is a published application with records.
type board struct {
	*cluster
	who    *caller
	slug   string
	client *http.Client

	mu           sync.Mutex
	acknowledged map[string]bool
}

// create writes a file that is new.
func (b *board) create(path core.ProjectPath, content string) {
	b.t.Helper()
	b.who.call(b.first, http.StatusCreated, http.MethodPut, b.who.file(path), content, nil)
}

// publish makes the site live, whatever strangers may read on it.
func (b *board) publish() {
	b.t.Helper()
	path := "/projects/" + string(b.who.project) + "/publish"
	var refused struct {
		Findings []struct{ ID string }
	}
	status, answer := b.ask(b.first, b.first.URL+path, "{}", b.who.token)
	if status == http.StatusConflict && json.Unmarshal(answer, &refused) == nil {
		ids := make([]string, len(refused.Findings))
		for i, finding := range refused.Findings {
			ids[i] = finding.ID
		}
		status, answer = b.ask(b.first, b.first.URL+path, toJSON(b.t, map[string]any{"acceptFindings": ids}), b.who.token)
	}
	var published struct{ URL string }
	if status != http.StatusOK || json.Unmarshal(answer, &published) != nil {
		b.t.Fatalf("publishing answered %d %s", status, answer)
	}
	address, err := url.Parse(published.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	b.slug, _, _ = strings.Cut(address.Hostname(), ".")
}

// ask sends JSON, or gets without a body. Status 0 is no answer.
func (b *board) ask(at *process.Service, address, body, token string) (int, []byte) {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	return b.send(at, method, address, "application/json", strings.NewReader(body), token)
}

func (b *board) send(at *process.Service, method, address, kind string, body io.Reader, token string) (int, []byte) {
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, body)
	if err != nil {
		b.t.Error(err)
		return 0, nil
	}
	b.aim(r, at)
	r.Header.Set("Content-Type", kind)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, read
}

// site is the address of a path of the site.
func (b *board) site(at *process.Service, path string) string { return at.URL + path }

// aim makes a request for a path of the site one for its host.
func (b *board) aim(r *http.Request, at *process.Service) {
	if strings.HasPrefix(r.URL.Path, "/_") {
		r.Host = b.slug + "." + strings.TrimPrefix(at.URL, "http://")
	}
}

const notesPath = "/_data/collections/notes/records"

// write creates a record through a process and returns the status.
func (b *board) write(at *process.Service, text string) int {
	status, _ := b.ask(at, b.site(at, notesPath), toJSON(b.t, map[string]string{"text": text}), "")
	if status == http.StatusOK {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.acknowledged[text] = true
	}
	return status
}

// holds checks that every process answers with every record that was acknowledged.
func (b *board) holds(t *testing.T, serves []*process.Service) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, at := range serves {
		found := map[string]bool{}
		for page := 1; ; page++ {
			var list struct {
				Items []struct{ Text string }
			}
			status, answer := 0, []byte(nil)
			wait(t, "a list of records", func() bool {
				status, answer = b.ask(at, b.site(at, fmt.Sprintf("%s?perPage=500&page=%d", notesPath, page)), "", "")
				return status == http.StatusOK
			})
			if err := json.Unmarshal(answer, &list); err != nil {
				t.Fatal(err)
			}
			if len(list.Items) == 0 {
				break
			}
			for _, item := range list.Items {
				found[item.Text] = true
			}
		}
		for text := range b.acknowledged {
			if !found[text] {
				t.Errorf("process %d: the acknowledged record %q is lost", i, text)
			}
		}
	}
}

func (b *board) everywhere(t *testing.T, serves []*process.Service) {
	for i, at := range serves {
		if status := b.write(at, fmt.Sprint("first ", i)); status != http.StatusOK {
			t.Errorf("process %d: a create answered %d", i, status)
		}
		text := fmt.Sprint("by a function ", i)
		status, answer := b.ask(at, b.site(at, "/_fn/note"), toJSON(t, map[string]string{"text": text}), "")
		if status != http.StatusOK {
			t.Errorf("process %d: the function answered %d %s", i, status, answer)
		}
		b.acknowledged[text] = true
		for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
			path := fmt.Sprintf("%s/projects/%s/backend/%s/collections/notes/records", at.URL, b.who.project, env)
			if status, answer := b.ask(at, path, "", b.who.token); status != http.StatusOK {
				t.Errorf("process %d: the member's list of %s answered %d %s", i, env, status, answer)
			}
		}
		b.keepsFile(t, at, serves[(i+1)%len(serves)])
	}
	b.holds(t, serves)
}

// keepsFile uploads a file through one process and reads it through another.
func (b *board) keepsFile(t *testing.T, to, from *process.Service) {
	t.Helper()
	b.checkFile(t, from, b.upload(t, to))
}

var uploaded = strings.Repeat("0123456789abcdef", 1<<14)

// upload makes a record with a file, and returns the file's path.
func (b *board) upload(t *testing.T, to *process.Service) string {
	t.Helper()
	body := "--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"a.txt\"\r\n\r\n" + uploaded + "\r\n--x--\r\n"
	status, answer := b.send(to, http.MethodPost, b.site(to, notesPath), "multipart/form-data; boundary=x", strings.NewReader(body), "")
	var made struct{ ID, Picture string }
	if status != http.StatusOK || json.Unmarshal(answer, &made) != nil {
		t.Fatalf("an upload answered %d %s", status, answer)
	}
	return "/_data/files/notes/" + made.ID + "/" + made.Picture
}

func (b *board) checkFile(t *testing.T, at *process.Service, path string) {
	t.Helper()
	if status, answer := b.ask(at, b.site(at, path), "", ""); status != http.StatusOK || string(answer) != uploaded {
		t.Errorf("the file: got %d and %d bytes, want %d", status, len(answer), len(uploaded))
	}
}

// hears listens at one process, subscribes through another and creates through a third.
func (b *board) hears(t *testing.T, serves []*process.Service) {
	for i, at := range serves {
		events := b.listen(t, at)
		var connected struct{ ClientID string }
		if err := json.Unmarshal([]byte(<-events), &connected); err != nil {
			t.Fatal(err)
		}
		body := toJSON(t, map[string]any{"clientId": connected.ClientID, "subscriptions": []string{"notes/*"}})
		through := serves[(i+1)%len(serves)]
		if status, answer := b.ask(through, b.site(through, "/_data/realtime"), body, ""); status != http.StatusNoContent {
			t.Fatalf("a subscription answered %d %s", status, answer)
		}
		text := "heard " + string(core.NewID())
		if status := b.write(serves[(i+2)%len(serves)], text); status != http.StatusOK {
			t.Fatalf("a create answered %d", status)
		}
		if event := <-events; !strings.Contains(event, text) {
			t.Errorf("process %d: got the event %q, want one about %q", i, event, text)
		}
	}
}

// listen opens a realtime connection and returns the data of its events.
func (b *board) listen(t *testing.T, at *process.Service) <-chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(conformance.Bounded(t), http.MethodGet, b.site(at, "/_data/realtime"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.aim(r, at)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := (&http.Client{}).Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("a realtime connection: got %v, %v", answer, err)
	}
	events := make(chan string, 16)
	go func() {
		defer close(events)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			if data, is := bytes.CutPrefix(lines.Bytes(), []byte("data:")); is {
				events <- string(data)
			}
		}
	}()
	return events
}

// owner returns the address of the process that has the data.
func (b *board) owner(t *testing.T) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.setting("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var address string
	err = conn.QueryRow(t.Context(), "SELECT address FROM data_claims WHERE project_id = $1", string(b.who.project)).Scan(&address)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	return address
}

// writeOn writes through all processes until it is stopped.
func (b *board) writeOn(t *testing.T, serves []*process.Service) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for i, at := range serves {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; {
				conformance.Becomes(func() bool {
					n++
					switch status := b.write(at, fmt.Sprintf("load %d %d", i, n)); status {
					case http.StatusOK:
					case 0, http.StatusServiceUnavailable, http.StatusTooManyRequests:
						return ctx.Err() != nil
					default:
						t.Errorf("process %d: a create answered %d", i, status)
					}
					return true
				})
			}
		})
	}
	return func() {
		cancel()
		writers.Wait()
	}
}

// killed kills the process with the data while people write through all.
func (b *board) killed(t *testing.T, owner *process.Service, serves []*process.Service) {
	before := len(b.known())
	stop := b.writeOn(t, serves)
	wait(t, "people writing", func() bool { return len(b.known()) >= before+10*len(serves) })
	owner.Kill()
	killedAt := time.Now()
	for _, at := range serves {
		if at != owner {
			wait(t, "the data in another process", func() bool { return b.write(at, "alive "+string(core.NewID())) == http.StatusOK })
		}
	}
	t.Logf("the data was away for %s", time.Since(killedAt))
	owner.Restart()
	wait(t, "the data through the process that was killed", func() bool { return b.write(owner, "back "+string(core.NewID())) == http.StatusOK })
	stop()
	b.holds(t, serves)
	t.Logf("%d records acknowledged", len(b.acknowledged))
}
