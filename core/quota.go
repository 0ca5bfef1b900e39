package core

// Quotas bound how many things people may create; 0 is no bound. Permanently deleted
// things do not count.
type Quotas struct {
	// Workspaces is how many one person may own, including their personal one.
	Workspaces int `json:"workspaces,omitempty"`
	// Projects is how many one workspace may hold, including deleted ones that can be
	// restored.
	Projects int `json:"projects,omitempty"`
	// Members is how many one workspace may have.
	Members int `json:"members,omitempty"`
	// Chats is how many one project may have.
	Chats int `json:"chats,omitempty"`
	// Tasks is how many one project may have that are not merged, WorkspaceTasks how many all
	// projects of a workspace may have together.
	Tasks          int `json:"tasks,omitempty"`
	WorkspaceTasks int `json:"workspaceTasks,omitempty"`
}

// CheckWorkspaces returns CodeConflict if a person who owns this many workspaces may
// not own one more.
func (q Quotas) CheckWorkspaces(owned int) error {
	if q.Workspaces == 0 || owned < q.Workspaces {
		return nil
	}
	return Errorf(CodeConflict, "a person may own at most %d workspaces (MAX_WORKSPACES_PER_PERSON): first delete one or transfer it to somebody else", q.Workspaces)
}

// CheckProjects returns CodeConflict if a workspace with this many projects may not get
// one more.
func (q Quotas) CheckProjects(held int) error {
	if q.Projects == 0 || held < q.Projects {
		return nil
	}
	return Errorf(CodeConflict, "a workspace may have at most %d projects, including deleted ones (MAX_PROJECTS_PER_WORKSPACE): first delete one permanently or transfer it", q.Projects)
}

// CheckMembers returns CodeConflict if a workspace with this many members may not get
// one more.
func (q Quotas) CheckMembers(held int) error {
	if q.Members == 0 || held < q.Members {
		return nil
	}
	return Errorf(CodeConflict, "a workspace may have at most %d members (MAX_MEMBERS_PER_WORKSPACE): an admin has to remove one first", q.Members)
}

// CheckChats returns CodeConflict if a project with this many chats may not get one
// more.
func (q Quotas) CheckChats(held int) error {
	if q.Chats == 0 || held < q.Chats {
		return nil
	}
	return Errorf(CodeConflict, "a project may have at most %d chats (MAX_CHATS_PER_PROJECT): delete one first", q.Chats)
}

// CheckTasks returns CodeConflict if a project with this many tasks at work, in a workspace with so
// many, may not get one more.
func (q Quotas) CheckTasks(ofProject, ofWorkspace int) error {
	switch {
	case q.Tasks > 0 && ofProject >= q.Tasks:
		return Errorf(CodeConflict, "a project may have at most %d tasks at work (MAX_TASKS_PER_PROJECT): merge or discard one first", q.Tasks)
	case q.WorkspaceTasks > 0 && ofWorkspace >= q.WorkspaceTasks:
		return Errorf(CodeConflict, "a workspace may have at most %d tasks at work (MAX_TASKS_PER_WORKSPACE): merge or discard one first", q.WorkspaceTasks)
	}
	return nil
}
