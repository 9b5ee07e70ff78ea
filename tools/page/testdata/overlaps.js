// Lists the texts and controls that lie over each other, or reach out of the window. The visible part of an element that
// is cut off counts, and an element below a layer does not.
(() => {
	const layer = document.querySelector("dialog[open], :popover-open") ?? document.body;
	const boxes = [];
	const add = (node, element, rect) => {
		let { left, right, top, bottom } = rect;
		for (let around = element; around && around !== document.body; around = around.parentElement) {
			if (getComputedStyle(around).overflow === "visible") continue;
			const edge = around.getBoundingClientRect();
			left = Math.max(left, edge.left), right = Math.min(right, edge.right);
			top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
		}
		if (right - left > 1 && bottom - top > 1) boxes.push({ node, element, left, right, top, bottom });
	};
	for (const element of layer.querySelectorAll("*")) {
		if (!element.checkVisibility() || element.closest("footer, .skip")) continue;
		if (element.matches("button, input, select, .badge")) add(element, element, element.getBoundingClientRect());
		for (const text of element.childNodes) {
			if (text.nodeType !== Node.TEXT_NODE || !text.data.trim() || element.closest("button, select, .badge, option")) continue;
			const range = document.createRange();
			range.selectNodeContents(text);
			for (const rect of range.getClientRects()) add(text, element, rect);
		}
	}
	const found = [];
	boxes.sort((a, b) => a.top - b.top);
	boxes.forEach((a, i) => {
		for (const b of boxes.slice(i + 1)) {
			if (b.top >= a.bottom - 2) break;
			if (a.node !== b.node && a.left < b.right - 1 && b.left < a.right - 1) {
				found.push(a.element.outerHTML.slice(0, 150) + " and " + b.element.outerHTML.slice(0, 150));
			}
		}
	});
	if (document.scrollingElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
	// The parts of a request stand below each other, each as wide as the whole.
	const parts = [...document.querySelectorAll(".exchange > *, .exchange > div > :not(h2, button)")].filter((e) => e.checkVisibility());
	parts.forEach((part, i) => {
		const [above, here] = [parts[i - 1] ?? part.parentElement, part].map((e) => e.getBoundingClientRect());
		if (i === 0 || parts[i - 1].contains(part) || here.top >= above.bottom - 1) return;
		found.push("not in one column: " + part.outerHTML.slice(0, 150));
	});
	return found.join("\n");
})()
