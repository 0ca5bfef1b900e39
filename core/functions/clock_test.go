package functions_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/sites"
)

// golive makes a deployment live that has functions with schedules, at the present time.
func (h *house) golive(scripts, schedules map[string]string) core.ID {
	h.t.Helper()
	tables, ctx := h.store.Tables(), h.t.Context()
	deployment := core.Deployment{ID: core.NewID(), ProjectID: h.project.ID, Slug: "shop", Status: core.DeploymentLive}
	h.must(tables.Deployments.Create(ctx, deployment))
	var files []sites.File
	for name, script := range scripts {
		files = append(files, sites.File{Path: core.FunctionBundle(name), Content: []byte(script)})
	}
	h.must(h.sites.Put(ctx, deployment.ID, files))
	var rows []core.FunctionSchedule
	for name, schedule := range schedules {
		row := core.FunctionSchedule{ProjectID: h.project.ID, Name: name, Schedule: schedule}
		row.DueAt = row.Next(core.At(time.Now()))
		rows = append(rows, row)
	}
	h.must(tables.FunctionSchedules.Put(ctx, deployment.ID, rows))
	_, err := tables.Projects.Update(ctx, h.project.ID, func(p *core.Project) error {
		p.DeploymentID, p.PublishedSlug = &deployment.ID, new("shop")
		return nil
	})
	h.must(err)
	return deployment.ID
}

// clockRuns are the times at which functions ran by the clock, the oldest first.
func (h *house) clockRuns() (at []string) {
	for _, run := range h.runs(core.DataLive) {
		if run.Method == "SCHEDULE" {
			at = append([]string{run.CreatedAt.Std().Format("15:04:05")}, at...)
		}
	}
	return at
}

func (h *house) wantClockRuns(want ...string) {
	h.t.Helper()
	synctest.Wait()
	if got := h.clockRuns(); strings.Join(got, " ") != strings.Join(want, " ") {
		h.t.Errorf("got runs at %v, want %v", got, want)
	}
}

const noting = `exports.default = (req, ctx) => { console.log(req.headers.get("atelier-schedule"), req.url, ctx.user); return new Response("noted") }`

func TestAFunctionRunsByItsSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		h.golive(map[string]string{"tidy": noting, "quiet": noting}, map[string]string{"tidy": "0 1,2 * * *"})
		h.Start()
		time.Sleep(3 * time.Hour)
		h.wantClockRuns("01:00:00", "02:00:00")
		runs := h.runs(core.DataLive)
		if runs[0].Status != 200 || runs[0].Path != "/_fn/tidy" || runs[0].Console[0].Text != "0 1,2 * * * https://shop.sites.test/_fn/tidy null" {
			t.Errorf("got the log %+v, want the run of tidy", runs[0])
		}
		live := backend.Place{Project: h.project.ID, Env: core.DataLive}
		next, err := h.List(t.Context(), h.member, live)
		if err != nil || len(next) != 2 || next[1].Name != "tidy" || next[1].NextAt.Std().Format("02 15:04") != "02 01:00" || next[0].NextAt != nil {
			t.Errorf("got %+v, %v, want the next time", next, err)
		}
		if _, err := h.List(t.Context(), h.nobody, live); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
		}
		h.must(h.Close(t.Context()))
	})
}

func TestNoFunctionOfASiteThatIsTakenDownRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		h.golive(map[string]string{"tidy": noting}, map[string]string{"tidy": "0 * * * *"})
		takedowns := h.store.Tables().Takedowns
		h.must(takedowns.Create(t.Context(), core.Takedown{ProjectID: h.project.ID, Slug: "shop", Reason: "It asks for passwords.", TakenBy: h.member.UserID}))
		h.Start()
		time.Sleep(2*time.Hour + time.Minute)
		h.wantClockRuns()
		h.must(takedowns.Delete(t.Context(), h.project.ID))
		time.Sleep(time.Hour)
		h.wantClockRuns("03:00:00")
		h.must(h.Close(t.Context()))
	})
}

func TestOneProcessRunsWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		h.golive(map[string]string{"tidy": noting}, map[string]string{"tidy": "0 * * * *"})
		other := functions.New(h.deps)
		h.Start()
		other.Start()
		time.Sleep(3*time.Hour + time.Minute)
		h.wantClockRuns("01:00:00", "02:00:00", "03:00:00")
		h.must(h.Close(t.Context()))
		h.must(other.Close(t.Context()))
	})
}

func TestMissedTimesAreMadeUpForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		h.golive(map[string]string{"tidy": noting}, map[string]string{"tidy": "0 * * * *"})
		time.Sleep(5*time.Hour + 30*time.Minute)
		h.Start()
		time.Sleep(time.Hour)
		h.wantClockRuns("05:30:00", "06:00:00")
		h.must(h.Close(t.Context()))
	})
}

func TestARunThatOverlapsIsSkippedAndAFailureIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		live := h.golive(map[string]string{"breaks": `exports.default = () => { throw new Error("no stock") }`}, map[string]string{"breaks": "* * * * *"})
		tables := h.store.Tables()
		rows, err := tables.FunctionSchedules.List(t.Context(), live)
		h.must(err)
		h.must(tables.FunctionSchedules.Take(t.Context(), rows[0], rows[0].DueAt, core.At(time.Now().Add(90*time.Second))))
		h.Start()
		time.Sleep(2*time.Minute + time.Second)
		h.wantClockRuns("00:02:00")
		if run := h.runs(core.DataLive)[0]; run.Status != 500 || !strings.Contains(run.Error, "no stock") {
			t.Errorf("got the log %+v, want the error", run)
		}
		h.must(h.Close(t.Context()))
	})
}

func TestASiteThatIsNotLiveRunsNothing(t *testing.T) {
	for name, stop := range map[string]func(p *core.Project){
		"unpublished": func(p *core.Project) { p.DeploymentID = nil },
		"another":     func(p *core.Project) { p.DeploymentID = new(core.NewID()) },
		"deleted":     func(p *core.Project) { p.DeletedAt = new(core.At(time.Now())) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, nil)
				live := h.golive(map[string]string{"tidy": noting}, map[string]string{"tidy": "0 * * * *"})
				before, err := h.store.Tables().FunctionSchedules.List(t.Context(), live)
				h.must(err)
				_, err = h.store.Tables().Projects.Update(t.Context(), h.project.ID, func(p *core.Project) error { stop(p); return nil })
				h.must(err)
				h.Start()
				time.Sleep(3 * time.Hour)
				after, err := h.store.Tables().FunctionSchedules.List(t.Context(), live)
				if err != nil || len(after) != 1 || after[0] != before[0] {
					t.Errorf("got %+v, %v, want the schedule untouched", after, err)
				}
				h.must(h.Close(t.Context()))
			})
		})
	}
}

func TestAVisitorCannotSayThatTheClockCalls(t *testing.T) {
	h := newHouse(t, map[string]string{"hello": `exports.default = (req) => new Response("by " + req.headers.get("atelier-schedule"))`})
	h.want(h.ask(core.DataTest, "GET", "/_fn/hello", "", map[string][]string{"Atelier-Schedule": {"0 8 * * *"}}), 200, "by null")
}
