package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
)

// mergedTasks is how many tasks are merged by a process that dies with it, at most.
const mergedTasks = 6

// TestAnotherProcessFinishesAMergeWhoseProcessWasKilled: the first process stands still while a task
// is being merged, and is killed there. The second goes on when the lease has ended: the task is
// merged, or open for another try, and every edit is there once.
func TestAnotherProcessFinishesAMergeWhoseProcessWasKilled(t *testing.T) {
	c := prepare(t)
	scripts := map[string][]storytest.ToolCall{}
	for i := range mergedTasks {
		scripts[title(i)] = []storytest.ToolCall{
			storytest.Calls("read_file", "path", "shared.txt"),
			storytest.Calls("edit_file", "path", "shared.txt", "oldText", fmt.Sprintf("line %d\n", 8*i), "newText", title(i)+"\n"),
			storytest.Calls("write_file", "path", fmt.Sprintf("own/%d.txt", i), "content", title(i)),
		}
	}
	for name, value := range (&storytest.Screenplay{Scripts: scripts}).Env(t) {
		c.env = append(c.env, name+"="+value)
	}
	c.first = c.serve()
	second := c.serve()
	who := c.signUp()
	lines := make([]string, 8*mergedTasks)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	who.call(c.first, http.StatusCreated, http.MethodPut, who.file(core.MustPath("shared.txt")), strings.Join(lines, "\n")+"\n", nil)
	made := make([]tasks.View, mergedTasks)
	for i := range made {
		who.call(c.first, http.StatusCreated, http.MethodPost, who.tasks(""), toJSON(t, map[string]string{"content": title(i), "title": "About " + title(i)}), &made[i])
	}
	for _, task := range made {
		who.awaitTask(second, task.ID, "ready", func(task tasks.View) bool { return task.Status == tasks.Ready })
	}

	var asked sync.WaitGroup
	defer asked.Wait()
	killed := who.killInTheMiddle(c.first, second, made, &asked)
	if killed < 0 {
		t.Fatal("got every merge done before the process stood still, want one in the middle")
	}
	for i, task := range made {
		settled := who.awaitTask(second, task.ID, "settled", func(task tasks.View) bool { return task.Status != tasks.Merging })
		if i == killed {
			t.Logf("the second process left the task %s", settled.Status)
		}
		if settled.Status != tasks.Merged {
			who.call(second, http.StatusOK, http.MethodPost, who.tasks("/"+string(task.ID)+"/merge"), "", nil)
		}
		lines[8*i] = title(i)
	}
	if got, want := who.read(second, core.MustPath("shared.txt")), strings.Join(lines, "\n")+"\n"; got != want {
		t.Errorf("got %q, want every task's line once", got)
	}
	var versions struct{ Items []core.Version }
	who.call(second, http.StatusOK, http.MethodGet, "/projects/"+string(who.project)+"/versions?limit=100", "", &versions)
	for i := range made {
		if got := who.read(second, core.MustPath(fmt.Sprintf("own/%d.txt", i))); got != title(i) {
			t.Errorf("got %q, want the file of %s", got, title(i))
		}
		count := 0
		for _, version := range versions.Items {
			if version.Message == "Task: About "+title(i) {
				count++
			}
		}
		// What a killed merge has staged can become part of a version of people.
		if count > 1 || count < 1 && i != killed {
			t.Errorf("got %d versions of %s, want one", count, title(i))
		}
	}
}

func title(i int) string { return fmt.Sprintf("task %d", i) }

func (who *caller) tasks(rest string) string {
	return "/projects/" + string(who.project) + "/tasks" + rest
}

func (who *caller) awaitTask(at *process.Service, id core.ID, what string, is func(tasks.View) bool) (task tasks.View) {
	who.t.Helper()
	wait(who.t, fmt.Sprintf("task %s %s", id, what), func() bool {
		task = tasks.View{}
		who.call(at, http.StatusOK, http.MethodGet, who.tasks("/"+string(id)), "", &task)
		return is(task)
	})
	return task
}

// killInTheMiddle merges one task after the other at a process until it stands still in the middle
// of a merge, as the other one sees, kills it there and returns which task it was; -1 if there was
// none.
func (who *caller) killInTheMiddle(victim, other *process.Service, made []tasks.View, asked *sync.WaitGroup) int {
	who.t.Helper()
	status := func(task tasks.View) tasks.Status {
		who.call(other, http.StatusOK, http.MethodGet, who.tasks("/"+string(task.ID)), "", &task)
		return task.Status
	}
	for i, task := range made {
		asked.Go(func() {
			// The process dies before it answers.
			response, err := who.open(who.t.Context(), victim, http.MethodPost, who.tasks("/"+string(task.ID)+"/merge"), "")
			if err == nil {
				_ = response.Body.Close()
			}
		})
		for deadline := time.Now().Add(patience); status(task) == tasks.Ready && time.Now().Before(deadline); {
			// A merge is short, so there is no pause.
		}
		signal(who.t, victim, syscall.SIGSTOP)
		if status(task) == tasks.Merging {
			victim.Kill()
			return i
		}
		signal(who.t, victim, syscall.SIGCONT)
	}
	return -1
}
