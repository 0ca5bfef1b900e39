// Chooses the option of this list that has a text.
function (text) {
	const target = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
	if (!target?.isConnected) return { refused: "is no longer on the page: look at it again" };
	if (!(target instanceof HTMLSelectElement)) return { refused: "is no list of options: click on it, and then on the option" };
	if (target.matches(":disabled")) return { refused: "is disabled" };
	const options = Array.from(target.options).filter((o) => !o.disabled);
	const option = options.find((o) => o.label.trim() === text.trim()) ?? options.find((o) => o.value === text);
	if (!option) return { refused: "has no option " + JSON.stringify(text) + ", but " + options.slice(0, 10).map((o) => JSON.stringify(o.label.trim())).join(", ") };
	target.focus();
	option.selected = true;
	target.dispatchEvent(new Event("input", { bubbles: true }));
	target.dispatchEvent(new Event("change", { bubbles: true }));
	return {};
}
