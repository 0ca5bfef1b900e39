package core

import "slices"

// DataEnv names one of the two environments of a project's backend.
// They share nothing but the form of the schema.
type DataEnv string

// The environments of a backend.
const (
	// DataTest is the data of previews.
	DataTest DataEnv = "test"
	// DataLive is the data of the published site.
	DataLive DataEnv = "live"
)

// ParseDataEnv returns CodeNotFound for any other word, because the word is part of a path.
func ParseDataEnv(text string) (DataEnv, error) {
	switch env := DataEnv(text); env {
	case DataTest, DataLive:
		return env, nil
	}
	return "", NotFound("environment")
}

// The files of a project that make its backend.
const (
	// BackendSchemaPath is the file whose presence gives a project a backend.
	BackendSchemaPath = "backend/schema.json"
	// BackendSeedPath is the file with the records of fresh test data.
	BackendSeedPath = "backend/seed.json"
	// BackendTypesPath is the file of TypeScript types that the service writes.
	BackendTypesPath = "src/backend.gen.ts"
	// BackendTypesNotice is how that file begins.
	BackendTypesNotice = "// Written from backend/schema.json whenever it changes: edit that file instead.\n"
	// FunctionsDir is the directory with the project's functions.
	FunctionsDir = "functions"
)

// SchemaPlan lists the changes from one schema of a backend to another.
type SchemaPlan struct {
	ID    ID           `json:"id"`
	Steps []SchemaStep `json:"steps"`
}

// Loses reports whether a plan waits for a person's yes.
func (p SchemaPlan) Loses() bool {
	return slices.ContainsFunc(p.Steps, func(s SchemaStep) bool { return s.Loses })
}

// SchemaStep is one change of a schema.
type SchemaStep struct {
	Kind       SchemaStepKind `json:"kind"`
	Collection string         `json:"collection"`
	Field      string         `json:"field,omitempty"`
	// Records is how many records the step would take a value from, or no longer accept.
	Records int64 `json:"records"`
	// Loses says that the step waits for a person's yes.
	Loses bool `json:"loses"`
	// Text describes the step to people.
	Text string `json:"text"`
}

// SchemaStepKind says what a step of a plan does.
type SchemaStepKind string

// The kinds of steps.
const (
	StepAdd    SchemaStepKind = "add"
	StepChange SchemaStepKind = "change"
	StepDrop   SchemaStepKind = "drop"
)

// TestMail is a mail that an end user in a test environment was sent. It never leaves the
// service: members read it.
type TestMail struct {
	ID        ID     `json:"id"`
	To        string `json:"to"`
	Subject   string `json:"subject"`
	Text      string `json:"text"`
	CreatedAt Time   `json:"createdAt"`

	ProjectID ID `json:"-"`
}

// Limits of test mails.
const (
	// MaxTestMails is how many of the newest a project keeps.
	MaxTestMails = 100
	// MaxTestMailBytes bounds the text of one, in bytes of UTF-8.
	MaxTestMailBytes = 64 << 10
)
