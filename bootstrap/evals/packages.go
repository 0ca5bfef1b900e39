package evals

import (
	"fmt"

	"github.com/atelierhq/atelier/adapters/memory"
)

// standIns are fake packages for those that the templates need. Nothing of a project
// runs, so it suffices that imports of them resolve.
func standIns() []Package {
	react := map[string]string{}
	for _, module := range []string{"index", "jsx-runtime", "jsx-dev-runtime"} {
		react[module+".js"] = "module.exports = { standIn: 'react/" + module + "' }\n"
	}
	dom := map[string]string{}
	for _, module := range []string{"index", "client", "server"} {
		dom[module+".js"] = "module.exports = { standIn: 'react-dom/" + module + "' }\n"
	}
	// twMerge and cva make class names, and clsx joins them. No check reads them.
	classes := map[string]string{"index.js": "exports.clsx = exports.twMerge = exports.cva = () => ''\n"}
	return []Package{
		{Name: "clsx", Version: "2.1.1", Files: classes},
		{Name: "tailwind-merge", Version: "3.7.0", Files: classes},
		{Name: "class-variance-authority", Version: "0.7.1", Files: classes},
		{Name: "react", Version: "19.2.0", Files: react},
		{Name: "react-dom", Version: "19.2.0", Files: dom},
		{Name: "@types/react", Version: "19.2.0"},
		{Name: "@types/react-dom", Version: "19.2.0"},
		{Name: "@vitejs/plugin-react", Version: "6.0.0"},
		// The builder contains a copy of this version of Tailwind.
		{Name: "tailwindcss", Version: "4.3.5"},
		{Name: "@tailwindcss/vite", Version: "4.3.5"},
		{Name: "typescript", Version: "7.0.0"},
		{Name: "vite", Version: "8.0.0"},
	}
}

// registry returns a registry with the fake packages and those of the tasks. It writes
// installed sets to a temporary directory until it is closed.
func registry(tasks []Task) (*memory.Packages, error) {
	all := standIns()
	for _, task := range tasks {
		all = append(all, task.Packages...)
	}
	registry := memory.NewPackages()
	for _, pkg := range all {
		err := registry.Publish(memory.PublishedPackage{Name: pkg.Name, Version: pkg.Version, Files: pkg.Files})
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", pkg.Name, err)
		}
	}
	return registry, nil
}
