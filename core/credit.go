package core

// Hold is the reservation that a model call asks for.
type Hold struct {
	// Amount is the most that the call may spend, in USD.
	Amount float64
	// Platform says that the call goes to the operator's provider.
	Platform bool
	// At is the present time: what CreditHolds hold until then, or earlier, does not count any more.
	At Time
}

// CreditHold is the reservation of a model call that belongs to no run: one of a project's
// function.
type CreditHold struct {
	ID          ID
	WorkspaceID ID
	// Amount is the most that the call may spend, in USD. Payer is the person to whom a call to the
	// operator's provider is charged, empty for one to another provider.
	Amount float64
	Payer  ID
	// Until is when the reservation ends if a crash has kept it from being released.
	Until Time
}

// Funds are the money for a model call.
type Funds struct {
	Workspace Workspace
	// Held is the sum that the workspace's other running runs, and its functions, have reserved, in USD.
	Held float64
	// Spenders are the people to whom a call to the platform's provider is charged:
	// the sender of the message, and the workspace's longest-standing owner. Both
	// count, so that a person gets no fresh allowance from another workspace, nor a
	// workspace one from other people. A call of a function has no sender, and one to any
	// other provider no spenders.
	Spenders []Spender
}

// Given returns the funds without spenders if an admin of the installation gave credit to the
// workspace itself: its calls are then charged to no person.
func (f Funds) Given() Funds {
	if f.Workspace.CreditCap != nil {
		f.Spenders = nil
	}
	return f
}

// Spender is a person with their spending on the platform's provider in all
// workspaces, deleted ones included.
type Spender struct {
	UserID ID
	// Used is the cost of past calls, and Held what other current calls have
	// reserved, both in USD.
	Used, Held float64
}

// CreditLimit is the operator's limit, in USD; nil is unlimited. A workspace begins
// with it, and its admins may change that. It also bounds what one person may spend
// on the platform's provider in all workspaces together, which admins cannot change.
type CreditLimit *float64
