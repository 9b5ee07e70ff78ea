// The page of the sandbox. The server renders it; this script asks each second for the parts that have changed and has
// Idiomorph change the page in place, so that focus, selection, folds and half-typed text stay. It sends what buttons
// ask for, and says in the last line of the window what they did.

const $ = (id) => document.getElementById(id);

// What belongs to the person in front of the page, and the server does not know: folds and typed text.
const kept = { open: "DETAILS", value: "INPUT" };
const morphing = {
  callbacks: {
    beforeAttributeUpdated: (name, node) => kept[name] !== node.nodeName || node.type === "hidden",
  },
};

// update shows what has changed, or what a button of the form `look` asks for. An update waits for the one before, so
// that an old answer is not shown after a new one.
let updates = Promise.resolve();
function update(button) {
  updates = updates.then(() => fetchParts(button));
  return updates;
}

async function fetchParts(button) {
  const wanted = new URLSearchParams(new FormData($("look"), button));
  for (const part of document.querySelectorAll("[data-etag]")) wanted.append("etag", part.dataset.etag);
  wanted.append("unfolded", "none");
  for (const group of document.querySelectorAll("#groups details[open]")) wanted.append("unfolded", group.dataset.index);
  let text = "";
  try {
    const answer = await fetch("/page/parts?" + wanted, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (!answer.ok) throw new Error(answer.statusText);
    text = await answer.text();
    showState("live");
  } catch {
    showState("gone");
    return;
  }
  for (const part of [...parse(text).body.children]) Idiomorph.morph($(part.id), part, morphing);
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// showState says in the last line whether the page follows the sandbox.
function showState(state) {
  if (document.body.className === state) return; // said once, for screen readers
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

// Buttons. A form says in its attributes where it is sent, and it or the button what is said when it is done.

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.closest("dialog") || form.id === "look") return;
  event.preventDefault();
  const button = event.submitter;
  let fields = fieldsOf(form);
  const problem = form.matches(".fault") && problemOf(fields);
  if (problem) return say(problem, true);
  if (button.value.endsWith("/republish")) fields = await askForImage(button);
  else if (form.dataset.ask && !(await ask(form.dataset.ask, form.dataset.yes))) return;
  if (fields) await send(form, button, fields);
});

async function send(form, button, fields) {
  try {
    const answer = await fetch(form.getAttribute("action") + button.value, {
      method: form.dataset.method ?? "POST",
      body: Object.keys(fields).length ? JSON.stringify(fields) : undefined,
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

// fieldsOf returns what is filled in.
function fieldsOf(form) {
  const fields = {};
  for (const input of form.elements) {
    const text = input.value.trim();
    if (input.type === "checkbox") {
      if (input.checked) fields[input.name] = true;
    } else if (input.name && text) fields[input.name] = input.type === "number" ? Number(text) : text;
  }
  return fields;
}

// problemOf says what is wrong with the fields of a fault as a whole. The sandbox would say it with the names of fields
// that the form does not have.
function problemOf({ status, retryAfter, delay, drop, hang }) {
  if (!(status || delay || drop || hang)) return "Give at least one of status, delay, drop and hang.";
  if ((drop || hang) && (status || (drop && hang))) return "Give drop or hang alone, or with a delay: neither gives an answer.";
  if (retryAfter && !status) return "Give a status beside Retry-After.";
  return "";
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
  return isSure ? fieldsOf($("ask").querySelector("form")) : null;
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

// A click on a request opens it in a drawer. Without a script, or with a modifier key, it is a link.

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.open");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const answer = await fetch(link.href);
    const text = await answer.text();
    $("request").replaceChildren(...answer.ok ? parse(text).querySelector("main").childNodes : [JSON.parse(text).message]);
  } catch {
    $("request").textContent = "The sandbox does not answer.";
  }
  $("request").showPopover();
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
