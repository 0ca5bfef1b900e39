// Gives this element the focus.
function () {
	const target = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
	if (!target?.isConnected) return { refused: "is no longer on the page: look at it again" };
	target.focus();
	return {};
}
