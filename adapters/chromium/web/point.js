// The point at which a click meets this element.
function () {
	let target = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
	if (!target?.isConnected) return { refused: "is no longer on the page: look at it again" };
	if (target.matches(":disabled") || target.closest("[aria-disabled=true]")) return { refused: "is disabled" };
	const describe = (e) => "<" + e.localName + (e.id ? "#" + e.id : "") + "> " + JSON.stringify(e.innerText?.trim().slice(0, 60) ?? "");
	const meets = (e) => {
		e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
		const box = Array.prototype.find.call(e.getClientRects(), (r) => r.width > 0 && r.height > 0);
		if (!box) return { refused: "is not visible" };
		const x = box.left + box.width / 2, y = box.top + box.height / 2;
		let top = document.elementFromPoint(x, y);
		while (top?.shadowRoot && top.shadowRoot.elementFromPoint(x, y) && top.shadowRoot.elementFromPoint(x, y) !== top) top = top.shadowRoot.elementFromPoint(x, y);
		if (!top) return { refused: "is outside of the window" };
		for (let around = top; around; around = around.parentNode ?? around.host) if (around === e) return { x, y };
		if (top.contains(e)) return { x, y };
		return { refused: "is covered by " + describe(top) };
	};
	const at = meets(target);
	// A hidden input of a styled control is clicked on at its label.
	for (const label of at.refused ? (target.labels ?? []) : []) {
		const other = meets(label);
		if (!other.refused) return other;
	}
	return at;
}
