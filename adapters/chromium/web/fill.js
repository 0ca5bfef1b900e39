// Sets this input's value, or selects what it has so that the value can be typed over it.
function (value) {
	const target = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
	if (!target?.isConnected) return { refused: "is no longer on the page: look at it again" };
	if (target.matches(":disabled")) return { refused: "is disabled" };
	if (target.readOnly) return { refused: "cannot be changed" };
	const changed = () => {
		target.dispatchEvent(new Event("input", { bubbles: true }));
		target.dispatchEvent(new Event("change", { bubbles: true }));
	};
	if (target instanceof HTMLSelectElement) return { refused: "is a list of options: use select" };
	if (target instanceof HTMLInputElement) {
		if (["checkbox", "radio", "button", "submit", "reset", "image"].includes(target.type)) return { refused: "is not filled but clicked on" };
		if (target.type === "file") return { refused: "takes a file, which cannot be given here" };
		if (["date", "time", "datetime-local", "month", "week", "color", "range"].includes(target.type)) {
			target.focus();
			target.value = value;
			if (target.value !== value) return { refused: "does not take " + JSON.stringify(value) + ": a " + target.type + " is written like " + JSON.stringify({ date: "2030-12-31", time: "23:59", "datetime-local": "2030-12-31T23:59", month: "2030-12", week: "2030-W52", color: "#a1b2c3", range: String(target.max || 100) }[target.type]) };
			changed();
			return {};
		}
	}
	target.focus();
	if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
		target.select();
		return { typed: true };
	}
	if (target.isContentEditable) {
		getSelection().selectAllChildren(target);
		return { typed: true };
	}
	return { refused: "takes no text" };
}
