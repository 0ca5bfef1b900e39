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

// disclaimer ends every answer and says that no model wrote it.
const disclaimer = "I am Atelier's built-in demo: a script, not a language model. " +
	"Connect Ollama or an API key in the settings to work with a model that understands what you ask."

// step is what the script does next: it says something and may call a tool.
type step struct {
	text string
	tool string
	args any
}

// state is what the script knows: the user's request, the available tools, and their answers
// since the user's message.
type state struct {
	request request
	plans   bool
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

// readState reads the messages after the user's newest.
func readState(req ai.Request) state {
	s := state{
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
		if message.Role == ai.RoleUser {
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
	changes := s.offered[toolEdit] || s.offered[toolWrite]
	source := mainSource(s.files)
	switch {
	case s.failure != "":
		return s.apologise()
	case !changes && !s.plans:
		return s.explain()
	case s.request.guestbook && changes && s.canBuildGuestbook():
		return s.guestbook()
	case s.request.guestbook && !changes:
		return planOfGuestbook()
	case changes && s.canBuildStarter():
		return s.buildStarter()
	case s.request.starter != nil && !changes:
		return planOfStarter(s.request.starter)
	case s.changed != "" && s.checked == "" && s.offered[toolCheck]:
		return step{text: "I check that the project still builds.\n\n", tool: toolCheck, args: struct{}{}}
	case s.changed != "":
		return s.report()
	case s.files == nil && s.offered[toolList]:
		return step{text: "I look at the project's files first.\n\n", tool: toolList, args: struct{}{}}
	case source != "" && s.page == nil && s.offered[toolRead]:
		return step{text: "I read " + source + ".\n\n", tool: toolRead, args: map[string]string{"path": source}}
	case !changes:
		return s.plan(source)
	}
	return s.change(source)
}

// change carries out the request in the page, or writes a page if there is none.
func (s state) change(source string) step {
	if s.page != nil {
		return s.changePage()
	}
	if source != "" || !s.offered[toolWrite] {
		return step{text: "I cannot read the page here, so I changed nothing.\n\n" + disclaimer}
	}
	file := newPagePath
	if s.files == nil {
		// Without a list of the files, index.html may hold somebody's work.
		file = sparePagePath
	}
	return step{
		text: fmt.Sprintf("There is no page yet, so I write one that shows %s.\n\n", quoted(s.request.text)),
		tool: toolWrite, args: map[string]string{"path": file, "content": newPage(s.request)},
	}
}

func (s state) changePage() step {
	intent := fmt.Sprintf("I put %s into %s.\n\n", quoted(s.request.text), s.page.path)
	edit, possible := s.page.apply(s.request)
	switch {
	case possible && s.offered[toolEdit]:
		return step{text: intent, tool: toolEdit, args: edit}
	case possible && !s.page.partial:
		content := strings.Replace(s.page.source, edit.OldText, edit.NewText, 1)
		return step{text: intent, tool: toolWrite, args: map[string]string{"path": s.page.path, "content": content}}
	case strings.Contains(s.page.source, s.page.escape(s.request.text)):
		return step{text: s.page.path + " already shows " + quoted(s.request.text) + ", so I changed nothing.\n\n" + disclaimer}
	}
	return step{text: "I found no place in " + s.page.path + " where I could show " + quoted(s.request.text) +
		", so I changed nothing.\n\n" + disclaimer}
}

func (s state) apologise() step {
	reason, _, _ := strings.Cut(s.failure, "\n")
	done := "I changed nothing."
	if s.changed != "" {
		done = "My change in " + s.changed + " is kept."
	}
	return step{text: "I am sorry: a step failed (" + core.ShortenChars(reason, maxShown) + "), so I stop here. " + done + "\n\n" + disclaimer}
}

func (s state) explain() step {
	return step{text: "You wrote " + quoted(s.request.message) + ". I cannot answer that, and in this mode I change nothing. " +
		"In build mode I can put a text into your page: try “change the title to Hello”.\n\n" + disclaimer}
}

func (s state) report() step {
	text := fmt.Sprintf("Done: %s now shows %s.", s.changed, quoted(s.request.text))
	if strings.Contains(s.checked, "Build failed") {
		text += " But the build failed: look at the diagnostics, or restore the previous version."
	}
	return step{text: text + "\n\n" + disclaimer}
}

// plan is how the script would carry out the request.
func (s state) plan(source string) step {
	if source == "" {
		source = newPagePath
	}
	plan := map[string][]planStep{"steps": {
		{
			Title:       "Show " + quoted(s.request.text) + " in the page",
			Description: "Change " + source + " so that the page shows it. The rest of the file stays as it is.",
			Files:       []string{source}, Risk: "low",
		},
		{
			Title:       "Check the build",
			Description: "Build the project and make sure that nothing broke.",
			Files:       []string{}, Risk: "low",
		},
	}}
	return planAnswer(plan)
}

// planStep is a step of a plan.
type planStep struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	Risk        string   `json:"risk"`
}

// planAnswer writes a plan in a fenced block.
func planAnswer(plan map[string][]planStep) step {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// A plan of strings always marshals.
	_ = encoder.Encode(plan)
	return step{text: "Here is my plan.\n\n```json\n" + text.String() + "```\n\n" + disclaimer}
}
