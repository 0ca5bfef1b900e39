package core

// MaxLinkSteps is how many links in a row an import follows.
const MaxLinkSteps = 10

// Omissions names the entries of an archive or a repository that an import could not take as
// they are, because no project can hold them. They are of its own making: a name may have
// any character.
type Omissions struct {
	// Names are those with a name that ParsePath refuses.
	Names []string
	// Links lead to no file that came along. Copies do, and that file's content has their place.
	Links, Copies []string
	// Submodules are places of other repositories.
	Submodules []string
	// Devices are pipes and sockets too.
	Devices []string
	// Large are larger than a file may be.
	Large []string
	// Spellings differ from a file or folder that came along only in upper and lower case: most
	// disks of Windows and macOS hold one of both.
	Spellings []string
}
