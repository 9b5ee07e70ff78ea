// The page of the sandbox. The server renders it; this script asks each second for the parts that have changed and has
// Idiomorph change the page in place, so that focus, selection, folds and half-typed text stay. It sends what buttons
// ask for, and says in the last line of the window what they did.

const $ = (id) => document.getElementById(id);

// The state of the page that only the person in front of it knows: folds, typed text, the stop of Tab.
const kept = { open: "DETAILS", value: "INPUT", tabindex: "A" };
const morphing = {
  callbacks: {
    beforeAttributeUpdated: (name, node) => kept[name] !== node.nodeName || node.type === "hidden",
  },
};

// The fields of the form `look` decide what the page shows, and the address has those that differ from their first
// values. So a reload shows the same, and an address can be sent to somebody.
const fields = $("look").elements;
const atFirst = { until: "0", rows: "100", groups: "100" };

function look(button) {
  const asked = new URLSearchParams(new FormData($("look")));
  if (button?.name) asked.set(button.name, button.value);
  for (const [name, value] of [...asked]) if (!value || value === atFirst[name]) asked.delete(name);
  return { asked, address: asked.size ? "/?" + asked : "/" };
}

addEventListener("popstate", () => {
  const asked = new URLSearchParams(location.search);
  for (const field of fields) {
    if (field.name && field.type !== "submit") field.value = asked.get(field.name) ?? atFirst[field.name] ?? "";
  }
  update();
});

// update shows what has changed, or what a button of the form asks for. An update waits for the one before, so that an
// old answer is not shown after a new one.
let updates = Promise.resolve();
function update(button) {
  updates = updates.then(() => fetchParts(button));
  return updates;
}

async function fetchParts(button) {
  const { asked: wanted, address } = look(button);
  if (address !== location.pathname + location.search) history.replaceState(history.state, "", address);
  for (const part of document.querySelectorAll("[data-etag]")) wanted.append("etag", part.dataset.etag);
  wanted.append("unfolded", "none");
  for (const group of document.querySelectorAll("#groups details[open]")) wanted.append("unfolded", group.dataset.index);
  const answer = await fetch("/page/parts?" + wanted, { cache: "no-store", signal: AbortSignal.timeout(5000) })
    .catch((problem) => problem);
  showState(answer.ok ? "live" : "gone");
  if (!answer.ok) return;
  const parts = new DOMParser().parseFromString(await answer.text(), "text/html").body.children;
  for (const part of [...parts]) Idiomorph.morph($(part.id), part, morphing);
  keepOneStop();
  $("drawer").togglePopover(!!fields.request.value);
}

// showState says in the last line whether the page follows the sandbox.
function showState(state) {
  if (document.body.className === state) return; // said once, for screen readers
  if (document.body.className === "gone") say(""); // what failed then is over
  const words = { live: "live", gone: "The sandbox does not answer" };
  $("live").textContent = words[state];
  document.body.className = state;
}

$("look").addEventListener("submit", (event) => {
  event.preventDefault();
  update(event.submitter);
});
document.addEventListener("input", (event) => {
  if (event.target.form === $("look")) update();
});

// The server has sent nothing of a group that was folded.
document.addEventListener("toggle", (event) => {
  if (event.target.open && event.target.querySelector(":scope > a")) update();
}, true);

// Buttons. The attributes of a form say where it is sent, and those of the form or the button what to say when it is done.

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.closest("dialog") || form.id === "look") return;
  event.preventDefault();
  const button = event.submitter;
  let body = bodyOf(form);
  if (button.value.endsWith("/republish")) body = await askForImage(button);
  else if (form.dataset.ask && !(await ask(form.dataset.ask, form.dataset.yes))) return;
  if (body) await send(form, button, body);
});

async function send(form, button, body) {
  try {
    const answer = await fetch(form.getAttribute("action") + button.value, {
      method: form.dataset.method ?? "POST",
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const result = text ? JSON.parse(text) : {};
    // A name in braces stands for a field of the answer.
    const done = (button.dataset.done ?? form.dataset.done).replace(/{(\w+)}/, (_, name) => result[name]);
    if (answer.ok) form.reset();
    say(answer.ok ? done : result.message, !answer.ok);
  } catch {
    say("The sandbox does not answer.", true);
  }
  await update();
}

// bodyOf returns the fields that are filled in.
function bodyOf(form) {
  const filled = [...new FormData(form)].filter(([, text]) => text.trim());
  const typed = ([name, text]) => ({ number: Number(text), checkbox: true })[form.elements[name].type] ?? text.trim();
  return Object.fromEntries(filled.map((field) => [field[0], typed(field)]));
}

// say shows a text until the next one.
function say(text, isBad = false) {
  $("said").className = isBad ? "bad" : "";
  $("said").textContent = text;
}

// ask opens the dialog, and returns whether the answer is yes.
function ask(question, yes, image) {
  const dialog = $("ask");
  const input = dialog.querySelector("input");
  $("question").textContent = question;
  $("yes").textContent = yes;
  $("new-image").hidden = image === undefined;
  input.value = image ?? "";
  dialog.showModal();
  if (image === undefined) $("no").focus();
  else input.select();
  return new Promise((resolve) => {
    dialog.onsubmit = (event) => resolve(event.submitter.id === "yes");
    dialog.oncancel = () => resolve(false);
  });
}

async function askForImage(button) {
  const image = button.closest("li").querySelector(".image code")?.textContent ?? "";
  const isSure = await ask(button.ariaLabel.replace("…", "") + " in place, with this image?", "Re-publish", image);
  return isSure ? bodyOf($("ask").querySelector("form")) : null;
}

// Copying. Outside of a secure context there is no clipboard: the text is selected instead.

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const source = button.previousElementSibling;
  const text = source.querySelector("code") ?? source;
  try {
    await navigator.clipboard.writeText(text.textContent);
    say(button.title.replace("Copy", "copied"));
  } catch {
    getSelection().selectAllChildren(text);
    say("selected: copy it with your keyboard");
  }
});

// A click on a request opens it in a drawer, with an address that Back leaves: one entry of the history, however many
// requests are looked at. Without a script, or with a modifier key, it is a link.

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.open");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  fields.request.value = link.dataset.number;
  history[history.state ? "replaceState" : "pushState"]("opened", "", look().address);
  update();
});
// A click on another request closes the drawer first: beforetoggle comes before that click, and toggle after it.
$("drawer").addEventListener("beforetoggle", (event) => {
  if (event.newState === "open" || !fields.request.value) return;
  fields.request.value = "";
  update();
});

// One request of the list is a stop of the Tab key, and the arrow keys lead to the others.

function keepOneStop(stop = document.activeElement) {
  const links = [...document.querySelectorAll("#requests a.open")];
  const at = links.indexOf(stop);
  links.forEach((link, i) => link.tabIndex = i === Math.max(at, 0) ? 0 : -1);
  return { links, at };
}
$("requests").addEventListener("keydown", (event) => {
  const { links, at } = keepOneStop();
  const next = links[{ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
  keepOneStop();
});

// A page that nobody sees asks for nothing, and a list waits while a pointer moves over it, so that nothing moves away
// from under the pointer.

let pointed = -Infinity;
for (const list of document.querySelectorAll(".scroll")) {
  list.addEventListener("pointermove", () => pointed = performance.now());
}

async function follow() {
  if (!document.hidden && performance.now() - pointed > 1000) await update();
}
document.addEventListener("visibilitychange", follow);
(async function poll() {
  await follow().finally(() => setTimeout(poll, 1000));
})();
