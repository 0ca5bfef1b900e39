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
	// Bytes is how much one project may take on the disk, with its history.
	Bytes int64 `json:"bytes,omitempty"`
	// Fixed are the quotas of workspaces that the environment of the service sets, with their
	// variables. Admins can change neither these, nor raise them for one workspace.
	Fixed map[QuotaName]string `json:"-"`
}

// QuotaName names a quota of a workspace.
type QuotaName string

// The quotas of workspaces.
const (
	QuotaProjects QuotaName = "projectsPerWorkspace"
	QuotaMembers  QuotaName = "membersPerWorkspace"
	QuotaBytes    QuotaName = "bytesPerProject"
	QuotaRuns     QuotaName = "runsAtOnce"
)

// QuotaNames returns every quota of a workspace.
func QuotaNames() []QuotaName { return []QuotaName{QuotaProjects, QuotaMembers, QuotaBytes, QuotaRuns} }

// Most is the highest number that admins can give to a quota.
func (n QuotaName) Most() int64 {
	if n == QuotaBytes {
		return 1 << 50
	}
	return 1_000_000
}

// Least is the lowest: a project needs some room for its repository.
func (n QuotaName) Least() int64 {
	if n == QuotaBytes {
		return 1 << 20
	}
	return 1
}

// WorkspaceQuotas are the quotas of one workspace, or those of all. As a decision of the admins, 0
// leaves a quota to its default; as what is in force, 0 is no bound.
type WorkspaceQuotas struct {
	// Projects includes deleted ones that can be restored.
	Projects int64 `json:"projectsPerWorkspace,omitempty"`
	Members  int64 `json:"membersPerWorkspace,omitempty"`
	// Bytes is how much one project may take on the disk, with its history.
	Bytes int64 `json:"bytesPerProject,omitempty"`
	// Runs is how many runs of the agent may be at work in all projects together.
	Runs int64 `json:"runsAtOnce,omitempty"`
}

// Of returns a quota, to be read or set; nil if there is none of that name.
func (q *WorkspaceQuotas) Of(name QuotaName) *int64 {
	switch name {
	case QuotaProjects:
		return &q.Projects
	case QuotaMembers:
		return &q.Members
	case QuotaBytes:
		return &q.Bytes
	case QuotaRuns:
		return &q.Runs
	}
	return nil
}

// Preset returns the quotas of workspaces for which the admins decide nothing.
func (q Quotas) Preset() WorkspaceQuotas {
	return WorkspaceQuotas{Projects: int64(q.Projects), Members: int64(q.Members), Bytes: q.Bytes}
}

// InForce returns the quotas of a workspace: own are those that the admins gave to it, others are
// those of all workspaces. What the environment fixes bounds both, and Bytes always does.
func (q Quotas) InForce(decided InstanceSettings, own WorkspaceQuotas) WorkspaceQuotas {
	limits := q.Preset()
	for _, name := range QuotaNames() {
		limit, bound := limits.Of(name), int64(0)
		if q.Fixed[name] != "" || name == QuotaBytes {
			bound = *limit
		}
		if general := *decided.Quotas.Of(name); general > 0 && q.Fixed[name] == "" {
			*limit = smaller(general, bound)
		}
		if given := *own.Of(name); given > 0 {
			*limit = smaller(given, bound)
		}
	}
	return limits
}

// Ceiling returns the highest number that admins can give to a quota, and the variable of the
// environment that bounds it, "" if none does.
func (q Quotas) Ceiling(name QuotaName) (most int64, variable string) {
	preset := q.Preset()
	variable = q.Fixed[name]
	if name == QuotaBytes {
		variable = "MAX_PROJECT_BYTES"
	}
	if bound := *preset.Of(name); variable != "" && bound > 0 {
		return bound, variable
	}
	return name.Most(), ""
}

// smaller returns the smaller of two bounds; 0 is none.
func smaller(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
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
func (q WorkspaceQuotas) CheckProjects(held int) error {
	if q.Projects == 0 || int64(held) < q.Projects {
		return nil
	}
	return Errorf(CodeConflict, "this workspace may have at most %d projects (projectsPerWorkspace), including deleted ones: delete one permanently, transfer it, or ask an admin of this service for more", q.Projects)
}

// CheckMembers returns CodeConflict if a workspace with this many members may not get
// one more.
func (q WorkspaceQuotas) CheckMembers(held int) error {
	if q.Members == 0 || int64(held) < q.Members {
		return nil
	}
	return Errorf(CodeConflict, "this workspace may have at most %d members (membersPerWorkspace): an admin of the workspace can remove one, or ask an admin of this service for more", q.Members)
}

// CheckRuns returns CodeConflict if a workspace with this many runs at work may not begin one more.
func (q WorkspaceQuotas) CheckRuns(working int) error {
	if q.Runs == 0 || int64(working) < q.Runs {
		return nil
	}
	return Errorf(CodeConflict, "in this workspace the agent may work on at most %d messages at once (runsAtOnce): wait until it has finished one, or ask an admin of this service for more", q.Runs)
}

// CheckBytes returns CodePayloadTooLarge if a project of this many bytes is too large.
func (q WorkspaceQuotas) CheckBytes(bytes int64) error {
	if q.Bytes == 0 || bytes <= q.Bytes {
		return nil
	}
	return Errorf(CodePayloadTooLarge, "a project of this workspace may take at most %d bytes (bytesPerProject), and this one has files of %d: leave files out, or ask an admin of this service for more", q.Bytes, bytes)
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
