package walship

// Apply is apply, for the tests of segments that are damaged.
var Apply = apply

// CompactBytes is compactBytes.
const CompactBytes = compactBytes

// MaxKeptLogs is maxKeptLogs.
const MaxKeptLogs = maxKeptLogs
