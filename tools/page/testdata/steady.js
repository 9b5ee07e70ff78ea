// Stops the page, and replaces times, durations and the port, which differ from run to run.
(() => {
	window.fetch = () => new Promise(() => {});
	document.querySelectorAll("#requests td:nth-child(1)").forEach((cell, i) => {
		cell.firstChild.data = new Date(Date.UTC(2026, 5, 1, 12, 0, 9, 870) - i * 137).toISOString().slice(11, 23);
	});
	document.querySelectorAll("#requests td:nth-child(3) .second").forEach((took, i) => {
		if (/^[\d.]+ms$/.test(took.textContent)) took.textContent = (1 + i % 4) + "ms";
	});
	document.querySelectorAll("#groups time").forEach((time) => {
		if (time.title.includes(new Date().toISOString().slice(0, 10))) time.textContent = "2026-06-03 12:00";
	});
	document.querySelector(".address code").textContent = "http://127.0.0.1:8080";
})()
