package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// pace is the rest after each thing that somebody does under load. Processes that start under the
// race detector need most of the processors beside it.
const pace = 150 * time.Millisecond

// load is the work of people on a project while processes fail: they write files, read
// them, type in the room and talk to the agent. Everybody continues after failures, and
// records what was acknowledged.
type load struct {
	t   *testing.T
	who *caller
	// database is its address.
	database string
	// serves and rooms are the processes that people turn to.
	serves, rooms []*process.Service
	writers       []*writer
	typists       []*typist
	talk          *talk

	life context.Context
	end  context.CancelFunc
	all  sync.WaitGroup
}

// begin puts load on the processes, for somebody with a new account.
func begin(t *testing.T, c *cluster, serves, rooms []*process.Service) *load {
	t.Helper()
	who := c.signUp()
	who.t = t
	l := &load{t: t, who: who, database: c.setting("DATABASE_URL"), serves: serves, rooms: rooms}
	l.talk = newTalk(l)
	l.life, l.end = context.WithCancel(t.Context())
	t.Cleanup(l.stop)
	who.create(serves[0], notes, "Notes\n")
	for i := range serves {
		w := &writer{load: l, path: core.MustPath(fmt.Sprintf("numbers/%d.txt", i)), turn: i}
		who.create(serves[0], w.path, "0")
		l.writers = append(l.writers, w)
		l.goes(w.write)
	}
	for i := range 2 {
		p := newTypist(l, i)
		l.typists = append(l.typists, p)
		l.goes(p.write)
	}
	l.goes(l.talk.send)
	l.goes(l.talk.follow)
	for _, at := range serves {
		l.goes(func() { l.read(at) })
	}
	l.moves()
	return l
}

// explain prints possible causes: what the follower of the chat received, and what the
// processes logged.
func (l *load) explain() {
	heard := l.talk.events()
	l.t.Logf("the follower of the chat heard as the last %v", heard[max(0, len(heard)-5):])
	for _, at := range append(slices.Clone(l.serves), l.rooms...) {
		var said []string
		for line := range strings.Lines(at.Log()) {
			if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
				said = append(said, line)
			}
		}
		l.t.Logf("%s complained of %d things, the last are\n%s", at.URL, len(said), strings.Join(said[max(0, len(said)-20):], ""))
	}
}

func (l *load) goes(do func()) { l.all.Go(do) }

// stop ends the load. Its last requests may still be running.
func (l *load) stop() {
	l.end()
	l.all.Wait()
}

// clear deletes the project of a load that has ended, so that many rounds fit on a small disk.
func (l *load) clear(c *cluster) {
	l.t.Helper()
	l.who.call(c.first, http.StatusNoContent, http.MethodDelete, "/projects/"+string(l.who.project)+"?hard=true", "", nil)
}

// rest waits a moment, and reports whether the load goes on.
func (l *load) rest(d time.Duration) bool {
	select {
	case <-l.life.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// within bounds a call: people give up on a process that is suspended.
func (l *load) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(l.life, d)
}

// moves waits until everybody has got something done from now on.
func (l *load) moves() {
	l.t.Helper()
	for _, w := range l.writers {
		before := w.last()
		wait(l.t, w.path.String()+" written again", func() bool { return w.last() > before })
	}
	for _, p := range l.typists {
		before := p.count()
		wait(l.t, p.name+" typing again", func() bool { return p.count() > before })
	}
	before := l.talk.count()
	wait(l.t, "the agent answering again", func() bool { return l.talk.count() > before })
}

// answer is a process's response to a call.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask calls a process. Only a failure of the way there is an error.
func (l *load) ask(at *process.Service, method, path, body string, header ...string) (answer, error) {
	ctx, cancel := l.within(callTime)
	defer cancel()
	response, err := l.who.open(ctx, at, method, path, body, header...)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	l.judge(response.StatusCode, method+" "+path, string(text))
	return answer{response.StatusCode, response.Header, string(text)}, nil
}

// judge checks that a process refuses only in ways after which people can try again.
func (l *load) judge(status int, what, body string) {
	if status >= 400 && !slices.Contains(refusals, status) {
		l.t.Errorf("%s: got %d %.300s, want success or a refusal that says to come again", what, status, body)
	}
}

// refusals are the statuses for temporary refusals: a busy chat, a changed file, an
// unavailable dependency.
var refusals = []int{http.StatusConflict, http.StatusPreconditionFailed, http.StatusServiceUnavailable}

// open begins a call; the header's names and values take turns.
func (who *caller) open(ctx context.Context, at *process.Service, method, path, body string, header ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, at.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+who.token)
	request.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(header, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	return http.DefaultClient.Do(request)
}

// writer writes growing numbers into its own file. Each write names the expected old
// content, so that an unanswered attempt cannot arrive after a later one.
type writer struct {
	load *load
	path core.ProjectPath
	turn int

	mu sync.Mutex
	// acked is the last number that was acknowledged, tried the last that was sent.
	acked, tried int
}

func (w *writer) last() int {
	acked, _ := w.bounds()
	return acked
}

// bounds are between which the file's number has to be.
func (w *writer) bounds() (acked, tried int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked, w.tried
}

func (w *writer) write() {
	tag := files.ETag([]byte("0"))
	for w.load.rest(pace) {
		at := w.load.serves[w.turn%len(w.load.serves)]
		if tag != "" {
			tag = w.put(at, tag)
			w.turn++
			continue
		}
		if tag = w.look(at); tag == "" {
			w.turn++
		}
	}
}

// put writes the next number, and returns the file's tag; "" when it is not known.
func (w *writer) put(at *process.Service, tag string) string {
	w.mu.Lock()
	w.tried++
	number := w.tried
	w.mu.Unlock()
	content := strconv.Itoa(number)
	got, err := w.load.ask(at, http.MethodPut, w.load.who.file(w.path), content, "If-Match", tag)
	if err != nil || got.status >= 300 {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acked = number
	return files.ETag([]byte(content))
}

// look reads the current content of the file, and returns its tag.
func (w *writer) look(at *process.Service) string {
	got, err := w.load.ask(at, http.MethodGet, w.load.who.file(w.path), "")
	if err != nil || got.status != http.StatusOK {
		return ""
	}
	return got.header.Get("ETag")
}

// read reads the writers' files through one process. Everything that was acknowledged
// before must be there.
func (l *load) read(at *process.Service) {
	for i := 0; l.rest(2 * pace); i++ {
		w := l.writers[i%len(l.writers)]
		acked := w.last()
		got, err := l.ask(at, http.MethodGet, l.who.file(w.path), "")
		if err != nil || got.status != http.StatusOK {
			continue
		}
		_, tried := w.bounds()
		if number, err := strconv.Atoi(got.body); err != nil || number < acked || number > tried {
			l.t.Errorf("%s through %s: got %q, want at least %d, which was acknowledged before, and at most %d", w.path, at.URL, got.body, acked, tried)
		}
	}
}

// create makes a file.
func (who *caller) create(at *process.Service, path core.ProjectPath, content string) {
	who.t.Helper()
	who.call(at, http.StatusCreated, http.MethodPut, who.file(path), content, nil)
}

// lines calls do with each line of a stream of events until that is false.
func lines(body io.Reader, do func(line string) bool) {
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		if !do(scanner.Text()) {
			return
		}
	}
}
