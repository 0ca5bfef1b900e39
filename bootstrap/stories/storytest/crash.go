package storytest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// CrashRounds is how often each crash test kills the process.
const CrashRounds = 12

// Crash is a real process on data that outlives it.
type Crash struct {
	*process.Service
	*Work
	Random *rand.Rand
}

// StartCrash starts a service and makes a project from a template. env adds NAME=value settings.
func StartCrash(t *testing.T, template string, env ...string) *Crash {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	service := process.Start(t, process.Build(t), env...)
	s := &Site{T: t, URL: service.URL, Client: LocalClient()}
	return &Crash{service, s.SignUp().Create(template), rand.New(rand.NewPCG(seed, 0))}
}

// KillWithin kills the process at a random moment within d.
func (c *Crash) KillWithin(d time.Duration) {
	time.Sleep(time.Duration(c.Random.Int64N(int64(d))))
	c.Kill()
	c.Client.CloseIdleConnections()
}

// CheckRepository checks the project's repository with the stock git client.
func (c *Crash) CheckRepository(t testing.TB) {
	t.Helper()
	check := exec.Command("git", "--git-dir", ProjectDir(c.Dir, c.ID)+"/.git", "fsck", "--strict", "--no-dangling")
	check.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("git fsck: %v\n%s", err, out)
	}
}

// History reads the chat's whole log, page by page.
func (w *Work) History() []map[string]any {
	w.T.Helper()
	var log []map[string]any
	for after := 0.0; ; after = log[len(log)-1]["seq"].(float64) {
		var page struct{ Items []map[string]any }
		w.Must(http.StatusOK, http.MethodGet, "/chat/"+string(w.ID)+"/messages"+Query("chatId", string(w.Chat), "after", strconv.Itoa(int(after)), "limit", "500"), nil, &page)
		if len(page.Items) == 0 {
			return log
		}
		log = append(log, page.Items...)
	}
}

// Message sends a message in the background. When the stream ends, it returns the seqs of
// the events that arrived.
func (c *Crash) Message(text string) <-chan []string {
	seen := make(chan []string, 1)
	go func() {
		var ids []string
		defer func() { seen <- ids }()
		body, _ := json.Marshal(map[string]string{"chatId": string(c.Chat), "text": text})
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.URL+"/chat/"+string(c.ID)+"/messages", bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+c.Token)
		response, err := c.Client.Do(request)
		if err != nil {
			return
		}
		defer response.Body.Close()
		content, _ := io.ReadAll(response.Body)
		for line := range strings.Lines(string(content)) {
			if id, isID := strings.CutPrefix(strings.TrimSpace(line), "id: "); isID {
				ids = append(ids, id)
			}
		}
	}()
	return seen
}
