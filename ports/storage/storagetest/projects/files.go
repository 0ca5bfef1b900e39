package projects

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func fileClauses() []clause {
	return []clause{
		{"files are listed by path, byte by byte", filesByPath},
		{"a put replaces the row of its path", filePut},
		{"a delete removes a path and all below it", fileDelete},
		{"deletes come before puts", fileDeleteThenPut},
		{"deleting the root removes every row", fileDeleteRoot},
		{"files of a project that is not there are not found", fileOfNothing},
		{"the revision grows with every apply", fileRevision},
		{"the files are seen with their project and the role in its workspace", fileSeenBy},
		{"a mark stays until it is taken away", fileMark},
		{"an apply takes the mark away unless there is more to come", fileMarkApplied},
		{"a mark is part of its transaction", fileMarkInTx},
		{"changes to files are all or none", fileAllOrNone},
		{"no row changes under a lock that was lost", fileLostLock},
		{"ten thousand rows go in, change and go out", fileMany},
	}
}

func entry(path string, size int64) core.FileEntry {
	return core.FileEntry{Path: core.MustPath(path), Size: size, UpdatedAt: 1_700_000_000_123, ETag: fmt.Sprintf(`"%d"`, size)}
}

func entries(paths ...string) []core.FileEntry {
	rows := make([]core.FileEntry, len(paths))
	for i, path := range paths {
		rows[i] = entry(path, int64(i))
	}
	return rows
}

func pathsOf(texts ...string) []core.ProjectPath {
	paths := make([]core.ProjectPath, len(texts))
	for i, text := range texts {
		paths[i] = core.MustPath(text)
	}
	return paths
}

// apply changes rows and fails the test when it cannot, or gives back another revision than
// the state has.
func (s testCase) apply(project core.ID, delta storage.FileDelta) {
	s.Helper()
	revision, err := s.Files.Apply(s.Context(), project, delta)
	s.Must(err)
	state, err := s.Files.State(s.Context(), project)
	s.Want(revision, err, state.Revision)
}

func (s testCase) tryApply(ctx context.Context, project core.ID, delta storage.FileDelta) error {
	_, err := s.Files.Apply(ctx, project, delta)
	return err
}

func (s testCase) wantPaths(project core.ID, want ...string) {
	s.Helper()
	rows, err := s.Files.List(s.Context(), project)
	got := []string{}
	for _, row := range rows {
		got = append(got, row.Path.String())
	}
	s.Want(got, err, append([]string{}, want...))
}

func filesByPath(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	want := entries("B", "a", "a b", "a!/x", "a.txt", "a/b", "a/b/c", "a0", "aa", "src/Ünï.css", "src/ünï.css", "z_%'\u20ac", "東京.md")
	slices.SortFunc(want, func(a, b core.FileEntry) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	shuffled := slices.Clone(want)
	slices.Reverse(shuffled)
	s.apply(project.ID, storage.FileDelta{Put: shuffled})
	s.apply(other.ID, storage.FileDelta{Put: entries("other")})
	got, err := s.Files.List(s.Context(), project.ID)
	s.Want(got, err, want)
	for _, row := range want {
		got, err := s.Files.ByPath(s.Context(), core.FileAt{Project: project.ID, Path: row.Path})
		s.Want(got, err, row)
	}
}

func filePut(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{Put: []core.FileEntry{entry("a", 1), entry("b", 2), entry("a", 3)}})
	got, err := s.Files.List(s.Context(), project.ID)
	s.Want(got, err, []core.FileEntry{entry("a", 3), entry("b", 2)})
	s.apply(project.ID, storage.FileDelta{Put: []core.FileEntry{entry("b", 4)}})
	row, err := s.Files.ByPath(s.Context(), core.FileAt{Project: project.ID, Path: core.MustPath("b")})
	s.Want(row, err, entry("b", 4))
	broken := entry("c", 1)
	broken.ETag = fixture.Unstorable()[0]
	err = s.tryApply(s.Context(), project.ID, storage.FileDelta{Put: []core.FileEntry{broken}})
	s.WantCode(err, core.CodeValidationFailed)
}

func fileDelete(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	all := entries("src", "src/a", "src/a/b", "src-x", "src.ts", "src0", "srcs/a", "Src/a", "a/src", "_rc/a", "s%")
	s.apply(project.ID, storage.FileDelta{Put: all})
	s.apply(other.ID, storage.FileDelta{Put: all})
	s.apply(project.ID, storage.FileDelta{Delete: pathsOf("src", "gone", "s%", "_rc")})
	s.wantPaths(project.ID, "Src/a", "a/src", "src-x", "src.ts", "src0", "srcs/a")
	rows, err := s.Files.List(s.Context(), other.ID)
	s.Want(len(rows), err, len(all))
	_, err = s.Files.ByPath(s.Context(), core.FileAt{Project: project.ID, Path: core.MustPath("src/a")})
	s.WantCode(err, core.CodeNotFound)
}

func fileDeleteThenPut(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{Put: entries("a/1", "a/2", "b")})
	s.apply(project.ID, storage.FileDelta{Delete: pathsOf("a", "b"), Put: []core.FileEntry{entry("a/2", 7)}})
	got, err := s.Files.List(s.Context(), project.ID)
	s.Want(got, err, []core.FileEntry{entry("a/2", 7)})
}

func fileDeleteRoot(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	for _, id := range []core.ID{project.ID, other.ID} {
		s.apply(id, storage.FileDelta{Put: entries("a", "b/c")})
	}
	s.apply(project.ID, storage.FileDelta{Delete: []core.ProjectPath{{}}, Put: entries("d")})
	s.wantPaths(project.ID, "d")
	s.wantPaths(other.ID, "a", "b/c")
}

func fileOfNothing(s testCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		rows, err := s.Files.List(s.Context(), id)
		s.Want(len(rows), err, 0)
		s.wantState(id, 0, false)
		s.WantCode(s.Files.Mark(s.Context(), id), core.CodeNotFound)
		s.WantCode(s.Files.Unmark(s.Context(), id), core.CodeNotFound)
		_, err = s.Files.ByPath(s.Context(), core.FileAt{Project: id, Path: core.MustPath("a")})
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.tryApply(s.Context(), id, storage.FileDelta{Put: entries("a")}), core.CodeNotFound)
		s.WantCode(s.tryApply(s.Context(), id, storage.FileDelta{}), core.CodeNotFound)
	}
}

func fileRevision(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{})
	s.apply(project.ID, storage.FileDelta{Delete: pathsOf("gone")})
	fixture.Together(8, func(i int) {
		err := s.tryApply(s.Context(), project.ID, storage.FileDelta{
			Delete: pathsOf("a"), Put: entries(fmt.Sprintf("a/%d", i), fmt.Sprintf("b/%d", 7-i), "c"),
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	s.wantState(project.ID, 10, false)
	rows, err := s.Files.List(s.Context(), project.ID)
	s.Want(len(rows), err, 1+8+1)
	s.wantState(other.ID, 0, false)
}

func fileSeenBy(s testCase) {
	home := s.Workspace()
	project := s.Project(home.ID)
	member, stranger := s.User(), s.User()
	s.Must(s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: home.ID, UserID: member.ID, Role: core.RoleAdmin, JoinedAt: s.Now()}))
	for user, role := range map[core.ID]core.Role{member.ID: core.RoleAdmin, stranger.ID: core.RoleNone, core.ID(fixture.Unstorable()[0]): core.RoleNone} {
		got, err := s.Files.SeenBy(s.Context(), project.ID, user)
		s.Want(got, err, storage.SeenFiles{Access: project.Access(), Standing: core.Standing{Role: role}})
	}
	s.apply(project.ID, storage.FileDelta{Put: entries("a")})
	s.Must(s.Files.Mark(s.Context(), project.ID))
	got, err := s.Files.SeenBy(s.Context(), project.ID, member.ID)
	s.Want(got, err, storage.SeenFiles{Access: project.Access(), Standing: core.Standing{Role: core.RoleAdmin}, State: storage.FileState{Revision: 1, Unsettled: true}})
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Files.SeenBy(s.Context(), id, member.ID)
		s.WantCode(err, core.CodeNotFound)
	}
	_, err = s.Files.SeenBy(s.Ended(), project.ID, member.ID)
	s.WantCode(err, core.CodeUnavailable)
}

func (s testCase) wantState(project core.ID, revision int64, unsettled bool) {
	s.Helper()
	state, err := s.Files.State(s.Context(), project)
	s.Want(state, err, storage.FileState{Revision: revision, Unsettled: unsettled})
}

func fileMark(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	s.Must(s.Files.Unmark(s.Context(), project.ID))
	s.wantState(project.ID, 0, false)
	for range 2 {
		s.Must(s.Files.Mark(s.Context(), project.ID))
		s.wantState(project.ID, 0, true)
	}
	s.wantState(other.ID, 0, false)
	s.Must(s.Files.Unmark(s.Context(), project.ID))
	s.wantState(project.ID, 0, false)
	s.apply(project.ID, storage.FileDelta{Put: entries("a")})
	s.Must(s.Files.Mark(s.Context(), project.ID))
	s.wantState(project.ID, 1, true)
	s.wantPaths(project.ID, "a")
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	s.wantState(project.ID, 0, false)
}

func fileMarkApplied(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{Unsettled: true})
	s.wantState(project.ID, 1, false)
	s.Must(s.Files.Mark(s.Context(), project.ID))
	s.apply(project.ID, storage.FileDelta{Put: entries("a"), Unsettled: true})
	s.wantState(project.ID, 2, true)
	broken := entry("z", 1)
	broken.ETag = fixture.Unstorable()[1]
	s.WantCode(s.tryApply(s.Context(), project.ID, storage.FileDelta{Put: []core.FileEntry{broken}}), core.CodeValidationFailed)
	s.wantState(project.ID, 2, true)
	s.apply(project.ID, storage.FileDelta{Put: entries("b")})
	s.wantState(project.ID, 3, false)
	s.wantPaths(project.ID, "a", "b")
}

func fileMarkInTx(s testCase) {
	project := s.Project(s.Workspace().ID)
	undone := core.Errorf(core.CodeConflict, "undone")
	err := s.Store.InTx(s.Context(), func(ctx context.Context, tables storage.Tables) error {
		s.Must(tables.Files.Mark(ctx, project.ID))
		state, err := tables.Files.State(ctx, project.ID)
		s.Want(state, err, storage.FileState{Unsettled: true})
		return undone
	})
	s.WantCode(err, core.CodeConflict)
	s.wantState(project.ID, 0, false)
}

func fileAllOrNone(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{Put: entries("a", "b")})
	broken := entry("z", 1)
	broken.ETag = fixture.Unstorable()[1]
	err := s.tryApply(s.Context(), project.ID, storage.FileDelta{
		Delete: pathsOf("a"), Put: append(entries("c"), broken),
	})
	s.WantCode(err, core.CodeValidationFailed)
	s.wantPaths(project.ID, "a", "b")
	s.wantState(project.ID, 1, false)
}

func fileMany(s testCase) {
	project := s.Project(s.Workspace().ID)
	rows := make([]core.FileEntry, 10_000)
	for i := range rows {
		rows[i] = entry(fmt.Sprintf("src/%02d/%04d.tsx", i/100, i), int64(i))
	}
	var gone []core.ProjectPath
	for _, row := range rows[:5000] {
		gone = append(gone, row.Path)
	}
	s.apply(project.ID, storage.FileDelta{Delete: gone, Put: rows})
	got, err := s.Files.List(s.Context(), project.ID)
	s.Want(got, err, rows)
	s.apply(project.ID, storage.FileDelta{Delete: append(gone, core.MustPath("src/99")), Put: rows[4999:9000]})
	got, err = s.Files.List(s.Context(), project.ID)
	s.Want(got, err, rows[4999:9900])
}

func fileLostLock(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.apply(project.ID, storage.FileDelta{Put: entries("a")})
	s.Must(s.Files.Mark(s.Context(), project.ID))
	late := storage.FileDelta{Delete: pathsOf("a"), Put: entries("b")}
	s.WantCode(s.tryApply(conformance.LostLock(s.Context()), project.ID, late), core.CodeUnavailable)
	s.wantPaths(project.ID, "a")
	s.wantState(project.ID, 1, true)
}
