package tasks_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core/tasks"
)

// TestTasksSurviveAKilledProcess kills the process while the agent works on four tasks, and again
// and again while they are merged.
func TestTasksSurviveAKilledProcess(t *testing.T) {
	var env []string
	for name, value := range (&storytest.Screenplay{Scripts: four()}).Env(t) {
		env = append(env, name+"="+value)
	}
	service := process.Start(t, process.Build(t), env...)
	b := onBoard(&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()})
	b.Put("shared.txt", numbered(nil))
	var made []tasks.View
	for i := range 4 {
		made = append(made, b.begin(fmt.Sprintf("task %d", i)))
	}
	service.Kill()
	b.Client.CloseIdleConnections()
	service.Restart()
	for _, task := range made {
		b.await(task.ID, tasks.Ready)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &storytest.Crash{Service: service, Work: b.Work, Random: rand.New(rand.NewPCG(seed, 0))}
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		var asked sync.WaitGroup
		for _, task := range made {
			asked.Go(func() { b.tryMerge(ctx, task) })
		}
		c.KillWithin(150 * time.Millisecond)
		c.Restart()
		cancel()
		asked.Wait()
	}
	changed := map[int]string{}
	for i, task := range made {
		settled := b.awaitThat(task.ID, "settled", func(task tasks.View) bool { return task.Status != tasks.Merging })
		if settled.Status != tasks.Merged {
			b.merge(task.ID)
		}
		changed[8*i+2] = fmt.Sprintf("task %d", i)
	}
	found := b.Files()
	if found["shared.txt"] != numbered(changed) {
		t.Errorf("got %q, want every task's line", found["shared.txt"])
	}
	merges := map[string]int{}
	for _, version := range b.Versions() {
		merges[version.Message]++
	}
	for i, task := range made {
		if got := found[fmt.Sprintf("own/%d.txt", i)]; got != changed[8*i+2] {
			t.Errorf("got %q, want the file of %s", got, changed[8*i+2])
		}
		// What a killed merge has staged can become part of a version of people, if another merge
		// comes before its second attempt.
		if got := merges["Task: "+task.Title]; got > 1 {
			t.Errorf("got %d versions of %s, want one at most", got, task.Title)
		}
		b.awaitThat(task.ID, "without its copy", func(task tasks.View) bool { return task.CopyID == nil })
	}
}

// tryMerge asks for a merge of which nothing may come, because the process dies.
func (b board) tryMerge(ctx context.Context, task tasks.View) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL+b.Path("/tasks/"+string(task.ID)+"/merge"), strings.NewReader(""))
	if err != nil {
		b.T.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+b.Token)
	if response, err := b.Client.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
