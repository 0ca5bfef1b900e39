package core

// DataClaim says which process has the data of a project's backend. It is a lease.
type DataClaim struct {
	ProjectID ID
	// Owner is the process, Address where the others reach it.
	Owner   ID
	Address string
	// Token is a fencing token: it grows with every claim, so that whatever an earlier owner
	// still does can be told from what the present one does.
	Token int64
	// HeldUntil is when the claim ends unless it is renewed.
	HeldUntil Time
}
