package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// The tools that the script knows.
const (
	toolList  = "list_files"
	toolRead  = "read_file"
	toolEdit  = "edit_file"
	toolWrite = "write_file"
	toolCheck = "check_build"
)

// step is what the script does next: it says something and may call a tool.
type step struct {
	text string
	tool string
	args any
}

// call returns a step that says nothing: the studio shows the call itself.
func call(tool string, args any) step { return step{tool: tool, args: args} }

// state is what the script knows: the user's request, the available tools, and their answers
// since the user's message.
type state struct {
	request request
	plans   bool
	// hinted says that the agent asks for something, and not the person.
	hinted  bool
	offered map[string]bool
	// failure is the first answer of a tool that failed.
	failure string
	// files are the files that list_files named, nil before it has answered.
	files []string
	page  *page
	// changed is the path of the changed file; checked is the answer of check_build.
	changed string
	checked string
	// made are the paths of all changed files.
	made map[string]bool
}

// readState reads the messages after the person's newest.
func readState(req ai.Request) state {
	n := len(req.Messages)
	s := state{
		hinted:  n > 0 && req.Messages[n-1].Hint,
		request: readRequest(req.Messages),
		plans:   strings.Contains(req.System, `"steps"`),
		offered: map[string]bool{},
		made:    map[string]bool{},
	}
	for _, tool := range req.Tools {
		s.offered[tool.Name] = true
	}
	calls := map[string]ai.Call{}
	for _, message := range sinceUser(req.Messages) {
		for _, call := range message.Calls {
			calls[call.ID] = call
		}
		if message.Role == ai.RoleTool {
			s.take(message, calls[message.CallID])
		}
	}
	return s
}

func sinceUser(messages []ai.Message) []ai.Message {
	for i, message := range slices.Backward(messages) {
		if message.Role == ai.RoleUser && !message.Hint {
			return messages[i+1:]
		}
	}
	return nil
}

// take records the answer of a tool.
func (s *state) take(answer ai.Message, call ai.Call) {
	if answer.Failed {
		if s.failure == "" {
			s.failure = answer.Text
		}
		return
	}
	var args struct {
		Path string `json:"path"`
	}
	// Arguments that are not an object name no path.
	_ = json.Unmarshal(call.Args, &args)
	switch answer.Tool {
	case toolList:
		s.files = listedPaths(answer.Text)
	case toolRead:
		s.page = readPage(args.Path, answer.Text)
	case toolEdit, toolWrite:
		s.changed = args.Path
		s.made[args.Path] = true
	case toolCheck:
		s.checked = answer.Text
	}
}

// listedPaths returns the paths of a list in which each line is a path and, in
// parentheses, a size.
func listedPaths(text string) []string {
	files := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if at := strings.LastIndex(line, " ("); at > 0 && strings.HasSuffix(line, ")") {
			files = append(files, line[:at])
		}
	}
	return files
}

// next is the script. Each branch needs something that a later tool call provides, so no
// call is made twice.
func (s state) next() step {
	changes, said := s.offered[toolEdit] || s.offered[toolWrite], s.request.said
	source := mainSource(s.files)
	switch {
	case s.failure != "":
		return s.apologise()
	case !changes && !s.plans:
		return s.refuse(said.cannotAnswer)
	case s.hinted && changes:
		return step{text: said.finding + "\n\n" + said.disclaimer}
	case s.request.starter != nil && !changes:
		return s.request.planOf()
	case s.request.starter != nil:
		return s.build()
	case s.request.untold:
		return step{text: said.quoteTitle + "\n\n" + said.disclaimer}
	case s.request.text == "":
		return s.refuse(said.cannot)
	case s.changed != "":
		return s.finish(fmt.Sprintf(said.shows, s.changed, s.request.quoted()))
	case s.files == nil && s.offered[toolList]:
		return call(toolList, struct{}{})
	case source != "" && s.page == nil && s.offered[toolRead]:
		return call(toolRead, map[string]string{"path": source})
	case !changes:
		return s.request.planChange(source)
	}
	return s.change(source)
}

// change carries out the request in the page, or writes a page if there is none.
func (s state) change(source string) step {
	if s.page != nil {
		return s.changePage()
	}
	if source != "" || !s.offered[toolWrite] {
		return s.refuse(s.request.said.unreadable)
	}
	file := newPagePath
	if s.files == nil {
		// Without a list of the files, index.html may hold somebody's work.
		file = sparePagePath
	}
	return scriptFile{file, newPage(s.request.text), s.request.said.noPage}.write()
}

func (s state) changePage() step {
	edit, possible := s.page.apply(s.request)
	switch said := s.request.said; {
	case possible && s.offered[toolEdit]:
		return call(toolEdit, edit)
	case possible && !s.page.partial:
		content := strings.Replace(s.page.source, edit.OldText, edit.NewText, 1)
		return scriptFile{path: s.page.path, content: content}.write()
	case strings.Contains(s.page.source, s.page.escape(s.request.text)):
		return s.refuse(fmt.Sprintf(said.already, s.page.path, s.request.quoted()))
	default:
		return s.refuse(said.noPlaceFor(s.page.path, s.request.quoted()))
	}
}

func (s state) apologise() step {
	reason, _, _ := strings.Cut(s.failure, "\n")
	said := s.request.said
	done := said.unchanged
	if s.changed != "" {
		done = fmt.Sprintf(said.kept, s.changed)
	}
	return step{text: fmt.Sprintf(said.sorry, core.ShortenChars(reason, maxShown)) + " " + done + "\n\n" + said.disclaimer}
}

// refuse says why nothing changes, what the script can do, and what it is.
func (s state) refuse(why string) step {
	said := s.request.said
	return step{text: why + " " + said.abilities + "\n\n" + said.disclaimer}
}

// planChange is how the script would carry out the request in a page.
func (r request) planChange(source string) step {
	if source == "" {
		source = newPagePath
	}
	return r.plan([]planStep{{
		Title:       fmt.Sprintf(r.said.planChange, r.quoted()),
		Description: fmt.Sprintf(r.said.planChangeHow, source),
		Files:       []string{source}, Risk: "low",
	}})
}

// planStep is a step of a plan.
type planStep struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	Risk        string   `json:"risk"`
}

// plan answers with steps, and a check of the build, in a fenced block.
func (r request) plan(steps []planStep) step {
	steps = append(steps, planStep{Title: r.said.planCheck, Description: r.said.planCheckHow, Files: []string{}, Risk: "low"})
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// A plan of strings always marshals.
	_ = encoder.Encode(map[string][]planStep{"steps": steps})
	return step{text: r.said.plan + "\n\n```json\n" + text.String() + "```\n\n" + r.said.disclaimer}
}

// has reports whether the project had a file when the run began.
func (s state) has(path string) bool { return slices.Contains(s.files, path) }
