package core

// Finding is a way in which a stranger reaches records of a project's backend that are not
// theirs.
type Finding struct {
	// ID is the same for as long as the collection, the action, the rule that allows it and the
	// fields are.
	ID         ID            `json:"id"`
	Collection string        `json:"collection"`
	As         Attacker      `json:"as"`
	Action     AttackAction  `json:"action"`
	Records    int64         `json:"records"`
	Fields     []string      `json:"fields"`
	Severity   FindingWeight `json:"severity"`
	// Text describes the finding to people.
	Text string `json:"text"`
	// Suggestion is the better text for the schema file.
	Suggestion string `json:"suggestion"`
}

// AcceptedFinding is a finding with which a person publishes nevertheless.
type AcceptedFinding struct {
	ProjectID ID   `json:"-"`
	FindingID ID   `json:"findingId"`
	By        ID   `json:"by"`
	CreatedAt Time `json:"createdAt"`
}

// Attacker is the part that an attack plays.
type Attacker string

// The parts.
const (
	// AttackGuest is not signed in.
	AttackGuest Attacker = "guest"
	// AttackStranger is an end user to whom none of the records belong.
	AttackStranger Attacker = "stranger"
)

// AttackAction is the action of an attacker.
type AttackAction string

// The actions of an attack.
const (
	AttackList      AttackAction = "list"
	AttackView      AttackAction = "view"
	AttackExpand    AttackAction = "expand"
	AttackFilter    AttackAction = "filter"
	AttackSubscribe AttackAction = "subscribe"
	AttackFile      AttackAction = "file"
	AttackCreate    AttackAction = "create"
	AttackChange    AttackAction = "change"
	AttackDelete    AttackAction = "delete"
	// AttackVerify is to mark one's own address as verified.
	AttackVerify AttackAction = "verify"
)

// FindingWeight says how bad a finding is.
type FindingWeight string

// The weights of findings.
const (
	// FindingHigh refuses a publish until a person accepts it.
	FindingHigh   FindingWeight = "high"
	FindingMedium FindingWeight = "medium"
	FindingInfo   FindingWeight = "info"
)
