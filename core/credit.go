package core

// Hold is what a model call asks to reserve.
type Hold struct {
	// Amount is in USD: what the call may spend.
	Amount float64
	// Platform says that the call goes to the operator's provider.
	Platform bool
}

// Funds are what a model call is paid from.
type Funds struct {
	Workspace Workspace
	// Held is in USD: what the workspace's other running runs hold.
	Held float64
	// Spenders are the people whom a call to the platform's provider is charged to:
	// who sent the message, and who answers for the workspace, which is its owner of
	// the longest standing. Both count, so that nobody gets a fresh allowance from
	// another workspace, whoever it belongs to, nor a workspace from other people.
	// There are none for a call to any other provider.
	Spenders []Spender
}

// Spender is a person and what they have spent of the platform's provider, in all
// workspaces. It stays theirs, whatever becomes of the workspaces.
type Spender struct {
	UserID ID
	// Used and Held are in USD: what calls have cost, and what other calls under way
	// hold.
	Used, Held float64
}

// CreditLimit is the operator's, in USD; nil is unlimited. It is the limit that a
// workspace begins with, which its admins may change, and what one person may spend
// of the platform's provider in all workspaces together, which they may not.
type CreditLimit *float64
