package peers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// The operations of BenchmarkConvergence: by each of the stock clients in each of the
// rounds. In each round a caller also writes through the API, and in every fifth a client
// leaves or returns, with what it has done meanwhile.
const (
	stockClients = 4
	mixedRounds  = 100
	mixedTimes   = 50
	awayEvery    = 5
)

// mixed are the files in which all of it happens.
var mixed = []string{"index.html", "src/one.ts", "src/two.ts", "notes.md"}

// stockPeer is a Node.js process that runs clients of the stock y-websocket, controlled
// line by line, see adapters/websocket/testdata/peer.
type stockPeer struct {
	b       *testing.B
	to      io.Writer
	answers *bufio.Reader
}

// command is a command to the peer.
type command map[string]any

// stockState is the state of a client.
type stockState struct {
	Texts     map[string]string
	Synced    bool
	Connected bool
}

func startStockPeer(b *testing.B) *stockPeer {
	b.Helper()
	script := filepath.Join("..", "..", "..", "adapters", "websocket", "testdata", "peer", "peer.mjs")
	node := exec.Command("node", "--experimental-websocket", "--no-warnings", script)
	to, err := node.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	from, err := node.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	node.Stderr = b.Output()
	if err := node.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = to.Close()
		_ = node.Wait()
	})
	return &stockPeer{b, to, bufio.NewReaderSize(from, 1<<20)}
}

func (p *stockPeer) do(c command) (state stockState) {
	p.b.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		p.b.Fatal(err)
	}
	if _, err := p.to.Write(append(line, '\n')); err != nil {
		p.b.Fatalf("the peer is gone: %v", err)
	}
	said, err := p.answers.ReadBytes('\n')
	if err != nil {
		p.b.Fatalf("the peer is gone: %v", err)
	}
	if err := json.Unmarshal(said, &state); err != nil {
		p.b.Fatalf("the peer said %.200q: %v", said, err)
	}
	return state
}

// BenchmarkConvergence lets stock clients and a caller of the API work at random in the
// same files, and counts the copies that differ from the disk in the end.
func BenchmarkConvergence(b *testing.B) {
	s := signUp(b, process.Start(b, process.Build(b)))
	peer := startStockPeer(b)
	opened := 0
	for b.Loop() {
		p := s.createFrom("blank")
		address := strings.Replace(strings.Replace(s.URL, "http", "ws", 1), "localhost", "127.0.0.1", 1) + "/ws/project"
		clients := make([]int, stockClients)
		for n := range clients {
			clients[n] = opened
			opened++
			peer.do(command{"do": "open", "url": address, "room": p.ID, "params": command{"token": p.token}, "protocols": []string{}})
		}
		peer.awaits(clients, func(state stockState) bool { return state.Synced })
		writes := p.mix(peer, clients)
		b.ReportMetric(float64(p.differing(peer, clients)), "differ")
		b.ReportMetric(float64(stockClients*mixedRounds*mixedTimes), "operations")
		b.ReportMetric(float64(writes), "api-writes")
	}
}

// mix has all of it happen, and returns how often the API wrote.
func (p *project) mix(peer *stockPeer, clients []int) (writes int) {
	p.b.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	away := -1
	for round := range mixedRounds {
		if round%awayEvery == 0 && away >= 0 {
			peer.do(command{"do": "connect", "at": away})
			away = -1
		} else if round%awayEvery == 0 {
			away = clients[random.IntN(len(clients))]
			peer.do(command{"do": "disconnect", "at": away})
		}
		for _, at := range clients {
			peer.do(command{"do": "mix", "at": at, "paths": mixed, "times": mixedTimes, "seed": 1 + random.IntN(1<<30)})
		}
		writes += p.rewrite(mixed[random.IntN(len(mixed))], fmt.Sprintf("<!-- round %d -->\n", round))
	}
	if away >= 0 {
		peer.do(command{"do": "connect", "at": away})
	}
	return writes
}

// rewrite reads a file and writes it with another line in its middle. It returns 0 for
// one that is not there.
func (p *project) rewrite(path, line string) int {
	p.b.Helper()
	text, found := p.onDisk(path)
	if !found {
		return 0
	}
	lines := strings.SplitAfter(text, "\n")
	half := len(lines) / 2
	text = strings.Join(lines[:half], "") + line + strings.Join(lines[half:], "")
	if err := p.putAt(p.Service, path, text); err != nil {
		p.b.Fatal(err)
	}
	return 1
}

func (p *project) onDisk(path string) (string, bool) {
	p.b.Helper()
	request, err := http.NewRequest(http.MethodGet, p.URL+p.path("/files/"+path), nil)
	if err != nil {
		p.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	response, err := p.http.Do(request)
	if err != nil {
		p.b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNotFound {
		p.b.Fatalf("%s: got %d %.200s, %v, want the file", path, response.StatusCode, text, err)
	}
	return string(text), response.StatusCode == http.StatusOK
}

// differing waits until all copies equal the disk, and returns how many never do.
func (p *project) differing(peer *stockPeer, clients []int) (count int) {
	p.b.Helper()
	peer.awaits(clients, func(state stockState) bool { return state.Synced && state.Connected })
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		count = 0
		disk := map[string]string{}
		for _, path := range mixed {
			if text, found := p.onDisk(path); found {
				disk[path] = text
			}
		}
		for _, at := range clients {
			texts := peer.do(command{"do": "state", "at": at}).Texts
			maps.DeleteFunc(texts, func(path, _ string) bool { return !slices.Contains(mixed, path) })
			if !maps.Equal(texts, disk) {
				count++
			}
		}
		if count == 0 {
			break
		}
	}
	return count
}

// awaits waits until all clients are in a state.
func (p *stockPeer) awaits(clients []int, is func(stockState) bool) {
	p.b.Helper()
	for _, at := range clients {
		deadline := time.Now().Add(patience)
		for !is(p.do(command{"do": "state", "at": at})) {
			if time.Now().After(deadline) {
				p.b.Fatalf("client %d is not in sync within %s", at, patience)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
