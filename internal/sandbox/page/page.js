// The page of the sandbox. The server renders it; this script fetches the changed parts each second, and Idiomorph
// changes the page in place, so that focus, selection, folds and half-typed text stay. It sends the requests of buttons,
// and reports their effect in the last line.

const $ = (id) => document.getElementById(id);

// The state that only the person at the page knows: folds, typed text and its problems, the stop of Tab.
const kept = { open: "DETAILS", value: "INPUT", "aria-invalid": "INPUT", tabindex: "A" };
const morphing = {
  callbacks: {
    beforeAttributeUpdated: (name, node) => kept[name] !== node.nodeName || node.type === "hidden",
    beforeNodeMorphed: (node) => node.className !== "problem",
  },
};

// The fields of the form `look` decide what the page shows. The address contains the changed ones, so it survives a
// reload and can be sent to somebody.
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

// update shows changes, or the view that a button of the form asks for. It waits for the update before it, so that no
// old answer replaces a new one.
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

// showState reports in the last line whether the page follows the sandbox.
function showState(state) {
  if (document.body.className === state) return; // once, for screen readers
  if (document.body.className === "gone") say(""); // what failed then is over
  $("live").textContent = { live: "live", gone: "The sandbox does not answer" }[state];
  document.body.className = state;
}

document.addEventListener("input", (event) => {
  if (event.target.form === $("look")) update();
});

// The server sent nothing of a folded group.
document.addEventListener("toggle", (event) => {
  if (event.target.open && event.target.querySelector(":scope > a")) update();
}, true);

// Buttons. A form has its address in attributes, and the form or the button the words for its success.

document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  event.preventDefault();
  if (form === $("look")) update(button);
  else if (button.value.endsWith("/republish")) askForImage(form, button);
  else send(form, button);
});

async function send(form, button) {
  try {
    const answer = await fetch(form.getAttribute("action") + button.value, {
      method: form.dataset.method ?? "POST",
      body: JSON.stringify(bodyOf(form)),
    });
    const result = JSON.parse((await answer.text()) || "{}");
    // A name in braces is a field of the answer.
    const done = (button.dataset.done ?? form.dataset.done).replace(/{(\w+)}/, (_, name) => result[name]);
    const isShown = blame(form, result.data?.issues ?? []);
    say(answer.ok ? done : isShown ? "not accepted" : result.message, !answer.ok);
    if (answer.ok) {
      form.reset();
      form.closest("dialog")?.close();
    }
  } catch {
    say("The sandbox does not answer.", true);
  }
  await update();
}

// bodyOf returns the fields that are filled in.
function bodyOf(form) {
  const filled = [...new FormData(form)].filter(([, text]) => text.trim());
  const read = { number: Number, checkbox: () => true, textarea: parsed };
  return Object.fromEntries(filled.map(([name, text]) => [name, read[form.elements[name].type]?.(text) ?? text.trim()]));
}

function parsed(text) {
  try { return JSON.parse(text); }
  catch { return text; } // the sandbox refuses it in its own words
}

// blame marks the refused fields, and shows why in the form. It reports whether the form has a place for that.
function blame(form, issues) {
  const isRefused = ({ name }) => issues.some(({ field }) => field.split(/[.[]/)[0] === name);
  for (const field of form.elements) field.ariaInvalid = isRefused(field) || null;
  form.querySelector("[aria-invalid]")?.focus();
  const place = form.querySelector(".problem");
  place?.replaceChildren(issues.map(({ field, messages }) => field + ": " + messages).join("\n"));
  return place?.textContent;
}

// say shows a text until the next one.
function say(text, isBad = false) {
  $("said").className = isBad ? "bad" : "";
  $("said").textContent = text;
}

// askForImage opens the dialog of the revision that has the button.
function askForImage(list, button) {
  const form = $("image").querySelector("form");
  $("question").textContent = button.ariaLabel.replace("…", "") + " in place, with this image?";
  form.action = list.getAttribute("action") + button.value;
  form.dataset.done = button.dataset.done;
  form.elements.dockerImage.value = button.closest("li").querySelector(".image code")?.textContent ?? "";
  blame(form, []);
  $("image").showModal();
  form.elements.dockerImage.select();
}

// Copying. Without a clipboard, in an insecure context, it selects the text.

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

// A click on a request opens it in a drawer, with one entry in the history for any number of them: Back closes it.
// Without a script, or with a modifier key, it is a link.

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-number]");
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

// A hidden page asks for nothing, and a list waits while a pointer moves over it, so that nothing moves under it.

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
