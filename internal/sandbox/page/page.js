// The page of the sandbox. The server renders it; this script asks each second for the parts that have changed and has
// Idiomorph change the page in place, so that focus, selection, folds and half-typed text stay. It sends what buttons
// ask for, and says beside them what they did.

const $ = (id) => document.getElementById(id);

// What belongs to the person in front of the page, and the server does not know: folds, found groups, typed text, notes.
const kept = { open: "DETAILS", hidden: "DETAILS", value: "INPUT", "data-note": "BUTTON" };
const morphing = {
  callbacks: {
    beforeAttributeUpdated: (name, node) => kept[name] !== node.nodeName,
    beforeNodeMorphed: (node) => node.nodeName !== "OUTPUT",
  },
};

// update shows what has changed. An update waits for the one before, so that an old answer is not shown after a new one.
let updates = Promise.resolve();
function update() {
  updates = updates.then(fetchChanges, fetchChanges);
  return updates;
}

async function fetchChanges() {
  const since = new URLSearchParams({ since: $("mark").dataset.mark });
  let text = "";
  try {
    const answer = await fetch("/page/changes?" + since, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (!answer.ok) throw new Error(answer.statusText);
    text = await answer.text();
    showState("live");
  } catch {
    showState("gone");
    return;
  }
  if (text === "") return;
  for (const part of [...parse(text).body.children]) {
    if ($(part.id)) Idiomorph.morph($(part.id), part, morphing);
  }
  search();
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// showState says in the header whether the page follows the sandbox.
function showState(state) {
  if (document.body.className === state) return; // said once, for those who hear it
  const words = { live: "live", gone: "The sandbox does not answer" };
  $("live").textContent = words[state];
  document.body.className = state;
}

// search hides the groups that do not have the text.
function search() {
  const wanted = $("search").value.trim().toLowerCase();
  const groups = [...document.querySelectorAll("#groups > details")];
  for (const group of groups) group.hidden = !group.textContent.toLowerCase().includes(wanted);
  const found = groups.filter((group) => !group.hidden).length;
  $("found").textContent = wanted ? `${found} of ${groups.length}` : `${groups.length}`;
}
$("search").addEventListener("input", search);

// Buttons. A form says in its attributes where it is sent and what is said when it is done.

const verbs = {
  republish: "re-published", archive: "archived", unarchive: "unarchived", disable: "disabled", enable: "enabled",
};

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.closest("dialog")) return; // its buttons close it
  event.preventDefault();
  const button = event.submitter;
  const output = $(form.dataset.output ?? "") ?? button.parentElement.querySelector("output");
  let fields = fieldsOf(form);
  if (button.value.endsWith("/republish")) fields = await askForImage(button);
  else if (form.dataset.ask && !(await ask(form.dataset.ask, form.dataset.yes))) return;
  if (fields) await send(form, button, fields, output);
});

async function send(form, button, fields, output) {
  say(output, "");
  try {
    const answer = await fetch(form.getAttribute("action") + button.value, {
      method: form.dataset.method ?? "POST",
      body: Object.keys(fields).length ? JSON.stringify(fields) : undefined,
    });
    const text = await answer.text();
    const result = text ? JSON.parse(text) : {};
    if (answer.ok) form.reset();
    say(output, answer.ok ? done(form, button, result) : result.message, !answer.ok);
  } catch {
    say(output, "The sandbox does not answer.", true);
  }
  await update();
}

// fieldsOf returns what is filled in.
function fieldsOf(form) {
  const fields = {};
  for (const input of form.elements) {
    const text = input.value.trim();
    if (input.name && text) fields[input.name] = input.type === "number" ? Number(text) : text;
  }
  return fields;
}

// done says what a button did: a name in braces stands for a field of the answer, or for the last part of the path.
function done(form, button, result) {
  const last = button.value.split("/").pop();
  if (verbs[last]) return `${verbs[last]} revision ${result.revision}`;
  return form.dataset.done.replace(/{(\w+)}/g, (_, name) => ({ ...result, last })[name]);
}

// say shows a text beside a button, until the next one.
function say(output, text, isBad = false) {
  for (const other of document.querySelectorAll("output:not(:empty)")) other.textContent = "";
  output.className = isBad ? "bad" : "";
  output.textContent = text;
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
  const row = button.closest(".row");
  const revision = row.querySelector("b").textContent;
  const image = row.querySelector(".image code")?.textContent ?? "";
  const isSure = await ask(`Re-publish revision ${revision} in place, with this image?`, "Re-publish", image);
  return isSure ? fieldsOf($("ask").querySelector("form")) : null;
}

// Copying. Outside of a secure context there is no clipboard: the text is selected instead.

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const source = button.previousElementSibling;
  let note = "Copied";
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    note = "Selected: copy it with your keyboard";
  }
  button.dataset.note = note;
  $("announcement").textContent = note;
  setTimeout(() => {
    delete button.dataset.note;
    $("announcement").textContent = "";
  }, 2500);
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

// A page that nobody sees asks for nothing.

async function follow() {
  if (!document.hidden) await update();
}
document.addEventListener("visibilitychange", follow);
(async function poll() {
  await follow().finally(() => setTimeout(poll, 1000));
})();
