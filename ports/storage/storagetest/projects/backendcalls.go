package projects

import (
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func backendCallClauses() []clause {
	return []clause{
		{"calls come back as they went in, the newest first", callsListed},
		{"a list of calls is narrowed by kind and failure, and divided into pages", callsFiltered},
		{"an environment keeps its newest calls of each kind", callsKept},
		{"calls are appended once, together or not at all", callsAppended},
		{"old calls are removed", callsPruned},
		{"calls go with their project", callsOfProject},
		{"no call on logs outlives its context", callsEnded},
	}
}

// newCall is a run of a function that went well.
func (s testCase) newCall(project core.ID, path string) core.BackendCall {
	return core.BackendCall{
		ID: core.NewID(), ProjectID: project, Env: core.DataTest, Kind: core.CallFunction, CreatedAt: s.Now(),
		Method: "POST", Path: path, Status: 200, Millis: 12, User: "users/ada",
		Console: []core.ConsoleLine{{Level: "log", Text: "it's \"here\"\n"}},
	}
}

func (s testCase) listCalls(project core.ID, filter storage.CallFilter, page core.Page) []core.BackendCall {
	found, err := s.BackendCalls.List(s.Context(), project, core.DataTest, filter, page)
	s.Must(err)
	return found
}

func callsListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, second, live, foreign := s.newCall(project.ID, "/_fn/first"), s.newCall(project.ID, "/_fn/second"), s.newCall(project.ID, "/_fn/live"), s.newCall(other.ID, "/_fn/foreign")
	second.Kind, second.Status, second.Error, second.Console, second.Omitted, second.User = core.CallRequest, 400, "no", nil, 7, ""
	live.Env = core.DataLive
	s.Must(s.BackendCalls.Append(s.Context(), nil))
	s.Must(s.BackendCalls.Append(s.Context(), []core.BackendCall{first, second, live, foreign}))
	s.Want(s.listCalls(project.ID, storage.CallFilter{}, core.Page{Limit: 10}), nil, []core.BackendCall{second, first})
	got, err := s.BackendCalls.List(s.Context(), project.ID, core.DataLive, storage.CallFilter{}, core.Page{Limit: 10})
	s.Want(got, err, []core.BackendCall{live})
	s.Want(len(s.listCalls(core.NewID(), storage.CallFilter{}, core.Page{Limit: 10})), nil, 0)
}

func callsFiltered(s testCase) {
	project := s.Project(s.Workspace().ID)
	at := s.Now()
	// Calls of one moment are listed by their ids. Ids that were made in one moment are in any order.
	ids := make([]core.ID, 6)
	for i := range ids {
		ids[i] = core.NewID()
	}
	slices.Sort(ids)
	var calls []core.BackendCall
	for i, id := range ids {
		call := s.newCall(project.ID, fmt.Sprint("/_fn/", i))
		call.ID, call.CreatedAt = id, at
		if i%2 == 0 {
			call.Kind = core.CallRequest
		}
		if i >= 4 {
			call.Status = core.MinErrorStatus
		}
		calls = append(calls, call)
	}
	s.Must(s.BackendCalls.Append(s.Context(), calls))
	s.Want(s.listCalls(project.ID, storage.CallFilter{Kind: core.CallRequest}, core.Page{Limit: 10}), nil, []core.BackendCall{calls[4], calls[2], calls[0]})
	s.Want(s.listCalls(project.ID, storage.CallFilter{Failed: true}, core.Page{Limit: 10}), nil, []core.BackendCall{calls[5], calls[4]})
	s.Want(s.listCalls(project.ID, storage.CallFilter{Kind: core.CallFunction, Failed: true}, core.Page{Limit: 10}), nil, []core.BackendCall{calls[5]})
	before := core.Position{CreatedAt: at, ID: calls[4].ID}
	s.Want(s.listCalls(project.ID, storage.CallFilter{}, core.Page{Limit: 2, Before: &before}), nil, []core.BackendCall{calls[3], calls[2]})
	s.Want(len(s.listCalls(project.ID, storage.CallFilter{}, core.Page{})), nil, 0)
}

func callsKept(s testCase) {
	project := s.Project(s.Workspace().ID)
	run, live := s.newCall(project.ID, "/_fn/run"), s.newCall(project.ID, "/_data/live")
	live.Kind, live.Env = core.CallRequest, core.DataLive
	calls := []core.BackendCall{run, live}
	for i := range core.MaxBackendCalls + 2 {
		call := s.newCall(project.ID, fmt.Sprint("/_data/", i))
		call.Kind, call.Console = core.CallRequest, nil
		calls = append(calls, call)
	}
	s.Must(s.BackendCalls.Append(s.Context(), calls[:500]))
	s.Must(s.BackendCalls.Append(s.Context(), calls[500:]))
	got := s.listCalls(project.ID, storage.CallFilter{Kind: core.CallRequest}, core.Page{Limit: 2 * core.MaxBackendCalls})
	s.Want(len(got), nil, core.MaxBackendCalls)
	s.Want(got[len(got)-1].Path, nil, "/_data/2")
	s.Want(len(s.listCalls(project.ID, storage.CallFilter{Kind: core.CallFunction}, core.Page{Limit: 2})), nil, 1)
	found, err := s.BackendCalls.List(s.Context(), project.ID, core.DataLive, storage.CallFilter{}, core.Page{Limit: 2})
	s.Want(found, err, []core.BackendCall{live})
}

func callsAppended(s testCase) {
	project := s.Project(s.Workspace().ID)
	first := s.newCall(project.ID, "/_fn/first")
	for _, text := range fixture.Unstorable() {
		wrong := s.newCall(project.ID, "/_fn/wrong")
		wrong.Console[0].Text = text
		s.WantCode(s.BackendCalls.Append(s.Context(), []core.BackendCall{first, wrong}), core.CodeValidationFailed)
	}
	s.Want(len(s.listCalls(project.ID, storage.CallFilter{}, core.Page{Limit: 2})), nil, 0)
	again := first
	again.Path = "/_fn/again"
	s.Must(s.BackendCalls.Append(s.Context(), []core.BackendCall{first, s.newCall(core.NewID(), "/_fn/nowhere")}))
	s.Must(s.BackendCalls.Append(s.Context(), []core.BackendCall{again, s.newCall(project.ID, "/_fn/second")}))
	got := s.listCalls(project.ID, storage.CallFilter{}, core.Page{Limit: 3})
	s.Want(len(got), nil, 2)
	s.Want(got[1], nil, first)
}

func callsPruned(s testCase) {
	project := s.Project(s.Workspace().ID)
	first, second := s.newCall(project.ID, "/_fn/first"), s.newCall(project.ID, "/_fn/second")
	s.Must(s.BackendCalls.Append(s.Context(), []core.BackendCall{first, second}))
	s.Must(s.BackendCalls.Prune(s.Context(), second.CreatedAt))
	s.Want(s.listCalls(project.ID, storage.CallFilter{}, core.Page{Limit: 3}), nil, []core.BackendCall{second})
}

func callsOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	live := s.newCall(project.ID, "/_fn/live")
	live.Env = core.DataLive
	s.Must(s.BackendCalls.Append(s.Context(), []core.BackendCall{s.newCall(project.ID, "/_fn/test"), live}))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		got, err := s.BackendCalls.List(s.Context(), project.ID, env, storage.CallFilter{}, core.Page{Limit: 3})
		s.Want(len(got), err, 0)
	}
}

func callsEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.BackendCalls.Append(s.Ended(), []core.BackendCall{s.newCall(project.ID, "/_fn/x")}), core.CodeUnavailable)
	_, err := s.BackendCalls.List(s.Ended(), project.ID, core.DataTest, storage.CallFilter{}, core.Page{Limit: 3})
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.BackendCalls.Prune(s.Ended(), s.Now()), core.CodeUnavailable)
}
