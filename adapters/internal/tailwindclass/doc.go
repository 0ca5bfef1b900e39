// Package tailwindclass writes CSS declarations as classes of Tailwind.
//
// [Write] sets a property in a list of classes: [classOf] names the class of a value, and
// [properties] tells of a class which properties it sets, so that the new class replaces
// those that it overrides, as tailwind-merge does. Values name tokens of the theme in the
// way in which Tailwind itself writes them, var(--color-amber-700) or
// calc(var(--spacing) * 4), so the package needs no theme. Other values become arbitrary
// ones, such as p-[13px].
package tailwindclass
