package rules

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// sources is all Go files of a module.
type sources struct {
	positions *token.FileSet
	files     []sourceFile
}

type sourceFile struct {
	name   string // from the module's root
	syntax *ast.File
}

func (f sourceFile) dir() string  { return path.Dir(f.name) }
func (f sourceFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// parseSources parses every Go file of a tree, whatever its build constraint.
func parseSources(tree fs.FS) (*sources, error) {
	found := &sources{positions: token.NewFileSet()}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() && name != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(found.positions, name, text, parser.ParseComments)
		found.files = append(found.files, sourceFile{name, syntax})
		return err
	})
	return found, err
}

// has reports whether there is a package in a place.
func (s *sources) has(place string) bool {
	return slices.ContainsFunc(s.files, func(f sourceFile) bool { return fits(place, f.dir()) })
}

// violations returns a sentence for everything that breaks a rule.
func (s *sources) violations() []string {
	var all []string
	variables := s.packageVariables()
	for _, file := range s.files {
		for _, spec := range file.syntax.Imports {
			if complaint := importComplaint(file, spec); complaint != "" {
				all = append(all, fmt.Sprintf("%s: %s", s.positions.Position(spec.Pos()), complaint))
			}
		}
		all = append(all, s.declarationViolations(file)...)
		all = append(all, s.assignmentViolations(file, variables[file.packageKey()])...)
	}
	return all
}

// importComplaint says which rule an import breaks, if any.
func importComplaint(file sourceFile, spec *ast.ImportSpec) string {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return err.Error()
	}
	first, _, _ := strings.Cut(imported, "/")
	switch local, ours := strings.CutPrefix(imported, modulePath+"/"); {
	case ours:
		return localComplaint(file, local)
	case strings.Contains(first, "."):
		return moduleComplaint(file, imported)
	}
	return ""
}

func localComplaint(file sourceFile, imported string) string {
	if file.isTest() {
		if fits("bootstrap/**", imported) && !fits("bootstrap/**", file.dir()) {
			return "rule 5: only programs import programs, not " + imported
		}
		return ""
	}
	for _, rule := range importRules() {
		if !fits(rule.place, file.dir()) {
			continue
		}
		forTests := fitsAny(testPackages(), imported) && !fitsAny(testPackages(), file.dir())
		if forTests || !fitsAny(rule.allows(file.dir()), imported) {
			return fmt.Sprintf("rule %d: %s may import %q of this module, not %s", rule.number, file.dir(), rule.allows(file.dir()), imported)
		}
		return ""
	}
	return fmt.Sprintf("rule 0: no rule says what %s may import", file.dir())
}

func moduleComplaint(file sourceFile, imported string) string {
	if imported == "github.com/google/wire" && !onlyWithTag(file.syntax, "wireinject") {
		return "rule 6: wire is imported only in files with the build constraint wireinject"
	}
	for _, owner := range moduleOwners() {
		if imported != owner.module && !strings.HasPrefix(imported, owner.module+"/") {
			continue
		}
		if fitsAny(owner.owners, file.dir()) || file.isTest() && fitsAny(owner.tests, file.dir()) {
			return ""
		}
		return fmt.Sprintf("rule 6: %s belongs to %q, not to %s", owner.module, owner.owners, file.dir())
	}
	return fmt.Sprintf("rule 6: %s has no owner: name one in moduleOwners, and say why in doc.go", imported)
}

// onlyWithTag reports whether a file is built only when tag is set.
func onlyWithTag(file *ast.File, tag string) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !constraint.IsGoBuild(comment.Text) || comment.Pos() > file.Package {
				continue
			}
			expr, err := constraint.Parse(comment.Text)
			return err == nil && !expr.Eval(func(set string) bool { return set != tag })
		}
	}
	return false
}

// declarationViolations finds packages and functions that rule 7 forbids.
func (s *sources) declarationViolations(file sourceFile) []string {
	var all []string
	name := file.syntax.Name.Name
	if name == "main" && !fits("bootstrap/**", file.dir()) {
		all = append(all, fmt.Sprintf("%s: rule 7: package main stands below bootstrap only", file.name))
	}
	if slices.Contains(emptyNames(), strings.TrimSuffix(name, "_test")) {
		all = append(all, fmt.Sprintf("%s: rule 7: the name %q says nothing about the package", file.name, name))
	}
	for _, declared := range file.syntax.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
			all = append(all, fmt.Sprintf("%s: rule 7: there is no init", s.positions.Position(function.Pos())))
		}
	}
	return all
}

// packageKey tells packages apart, also the two that share a directory.
func (f sourceFile) packageKey() string { return f.dir() + " " + f.syntax.Name.Name }

// packageVariables returns the names of the variables that each package declares
// outside of functions.
func (s *sources) packageVariables() map[string]map[string]bool {
	variables := map[string]map[string]bool{}
	for _, file := range s.files {
		key := file.packageKey()
		if variables[key] == nil {
			variables[key] = map[string]bool{}
		}
		for _, declared := range file.syntax.Decls {
			if group, ok := declared.(*ast.GenDecl); ok && group.Tok == token.VAR {
				for _, spec := range group.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						variables[key][name.Name] = name.Name != "_"
					}
				}
			}
		}
	}
	return variables
}

// assignmentViolations finds changes of package variables: assignments, also to parts of
// them, and delete and clear.
func (s *sources) assignmentViolations(file sourceFile, variables map[string]bool) []string {
	local := localNames(file.syntax)
	var all []string
	complain := func(target ast.Expr) {
		if name := changedVariable(target, variables, importNames(file.syntax), local); name != "" {
			all = append(all, fmt.Sprintf("%s: rule 7: the package variable %s is changed after its declaration", s.positions.Position(target.Pos()), name))
		}
	}
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		switch statement := node.(type) {
		case *ast.AssignStmt:
			if statement.Tok != token.DEFINE {
				for _, target := range statement.Lhs {
					complain(target)
				}
			}
		case *ast.IncDecStmt:
			complain(statement.X)
		case *ast.RangeStmt:
			if statement.Tok == token.ASSIGN {
				complain(statement.Key)
				if statement.Value != nil {
					complain(statement.Value)
				}
			}
		case *ast.CallExpr:
			if name, ok := statement.Fun.(*ast.Ident); ok && (name.Name == "delete" || name.Name == "clear") && len(statement.Args) > 0 {
				complain(statement.Args[0])
			}
		}
		return true
	})
	return all
}

// changedVariable names the package variable that target is, or is part of: one
// of this package, or one of an imported package.
func changedVariable(target ast.Expr, variables, imports map[string]bool, local map[token.Pos]bool) string {
	root, member := target, ""
	for {
		switch part := root.(type) {
		case *ast.SelectorExpr:
			root, member = part.X, part.Sel.Name
		case *ast.IndexExpr:
			root, member = part.X, ""
		case *ast.StarExpr:
			root, member = part.X, ""
		case *ast.ParenExpr:
			root = part.X
		case *ast.Ident:
			switch {
			case local[part.Pos()]:
				return ""
			case variables[part.Name]:
				return part.Name
			case imports[part.Name] && member != "":
				return part.Name + "." + member
			}
			return ""
		default:
			return ""
		}
	}
}

// localNames are the uses of names that are declared within a function, by their
// position. The parser resolves names within a file; whatever it resolves to
// something that is not at the top of the file is local.
func localNames(file *ast.File) map[token.Pos]bool {
	top := map[any]bool{}
	for _, declared := range file.Decls {
		if group, ok := declared.(*ast.GenDecl); ok {
			for _, spec := range group.Specs {
				top[spec] = true
			}
		}
	}
	local := map[token.Pos]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok && name.Obj != nil && !top[name.Obj.Decl] {
			local[name.Pos()] = true
		}
		return true
	})
	return local
}

// importNames are the names by which a file knows the packages that it imports.
func importNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range file.Imports {
		if spec.Name != nil {
			names[spec.Name.Name] = true
			continue
		}
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			names[path.Base(imported)] = true
		}
	}
	return names
}
