// Package fair shares scarce resources of a process among tenants, so that no tenant
// keeps the others waiting: places to run commands and builds, memory for uploads,
// streams.
//
// A Semaphore is a weighted semaphore that knows who holds what. Its rules:
//
//   - Room that becomes free goes to the waiting tenant that holds the least, and among
//     equals to the one that has waited longest. A tenant's own calls keep their order.
//   - Some room is kept for tenants that hold nothing or little, so that one that comes
//     new is served although others have taken all they may.
//   - One tenant may be held to a part of the room, however much is free.
//
// # What is shared, and who bounds it
//
// Every package that makes a semaphore or a pool of workers has a row (bootstrap/rules), and so have
// other shared resources. A bound is what one workspace, one person, or the whole installation may
// have at a time in a process. "-" is nobody's bound: who adds a row gives a reason for it, or a bound.
//
//	resource                 | package                     | by workspace           | by person              | by installation
//	data: statements         | adapters/pocketbase/turns   | all processors but one | -                      | twice the processors
//	data: requests           | adapters/pocketbase/turns   | 16 places              | -                      | 64 places
//	data: size of statements | adapters/pocketbase/bounded | by statement           | -                      | -
//	data: the process        | adapters/dataworker         | by its statements      | -                      | one of 4 GiB
//	data: sign-ins           | adapters/pocketbase         | 20 an application      | -                      | -
//	functions                | adapters/functionworker     | 8 calls                | -                      | 16 calls
//	runs of the agent        | core/chat                   | 8 runs, quota          | -                      | 40 runs
//	models                   | core/models                 | credit                 | credit of the platform | -
//	builds, checks, patches  | adapters/buildworker        | all but one place      | -                      | processors, and one
//	builds in a worker       | adapters/esbuild            | all but one place      | -                      | processors, and one
//	patches in a worker      | adapters/markup             | all but one place      | -                      | processors, and one
//	commands, servers        | adapters/bwrap              | two thirds             | -                      | by setting
//	pages of the browser     | core/browsing               | 2 pages                | -                      | 3 pages
//	tabs of the browser      | adapters/chromium           | by its pages           | -                      | 4 tabs
//	mails                    | core/mailer                 | 1,000 a day            | 1,000 a day            | MAIL_APPLICATIONS_PER_DAY
//	disk, projects, tasks    | core                        | quotas                 | quota of workspaces    | -
//	streams                  | core/streams                | a preview: a quarter   | by setting             | by setting
//	uploads                  | adapters/httpapi/rest       | -                      | 128 MiB                | 256 MiB
//	imports                  | adapters/httpapi/projects   | -                      | 8 places               | 12 places
//	clones and pushes        | adapters/httpapi/git        | 2 a project            | 8 places               | 12 places
//	archives                 | core/projects               | -                      | 4 places               | 5 places
//	exports of accounts      | core/accounts               | -                      | -                      | 2 exports, 16 notes of use
//	hashes of passwords      | adapters/credentials        | -                      | -                      | by setting
//	look-ups of domains      | core/domains                | -                      | -                      | 16 look-ups
//	images for messages      | core/attachments            | -                      | -                      | 4 a message
//	searches                 | adapters/regexsearch        | all but one place      | -                      | processors, and one
//	log of security          | core/audit                  | -                      | -                      | 64 entries that wait
//	looks at files           | adapters/internal/durable   | -                      | -                      | 64 looks
//	descriptions of models   | adapters/ollama             | -                      | -                      | 4 requests
package fair
