// What the pages gain from a script: countdowns, local time, drafts, live receipts and lists,
// keyboard use. Everything they need works without it.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/* Time */

const counted = (number, unit) => `${number} ${unit}${number === 1 ? "" : "s"}`;

function wordsFor(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (seconds <= 0) return "The time to answer is over";
  if (minutes < 10) return `${minutes}:${String(seconds % 60).padStart(2, "0")} minutes left`;
  if (minutes < 120) return `About ${counted(minutes, "minute")} left`;
  if (minutes < 2880) return `About ${counted(Math.floor(minutes / 60), "hour")} left`;
  return `About ${counted(Math.floor(minutes / 1440), "day")} left`;
}

// The server's clock counts, not the device's: `data-now` is its time when the page was made.
const madeAt = document.querySelector("[data-now]");
const skew = madeAt ? Number(madeAt.dataset.now) - Date.now() : 0;

function countDown(node) {
  const until = Number(node.dataset.until) - skew;
  const spoken = document.querySelector("[data-time-spoken]");
  let before = Infinity;
  const tick = () => {
    if (!node.isConnected) return;
    const seconds = Math.max(0, Math.floor((until - Date.now()) / 1000));
    const words = wordsFor(seconds);
    if (node.textContent !== words) node.textContent = words;
    for (const mark of [300, 60, 0]) {
      if (spoken && before > mark && seconds <= mark && before !== Infinity) spoken.textContent = words;
    }
    before = seconds;
    node.closest(".deadline, .left").classList.toggle("over", seconds === 0);
    if (seconds > 0) setTimeout(tick, seconds < 660 ? 500 : 15000);
  };
  tick();
}

const local = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

function addLocalTime(node) {
  const at = new Date(node.dateTime);
  if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) return;
  node.append(` (${local.format(at)})`);
}

function enhanceTimes(root) {
  all("time[data-local]", root).forEach(addLocalTime);
  all("[data-until]", root).forEach(countDown);
}

/* Forms */

let isSending = false;

function sendOnce(form) {
  form.addEventListener("submit", (event) => {
    if (isSending) {
      event.preventDefault();
      return;
    }
    isSending = true;
    event.submitter?.setAttribute("aria-disabled", "true");
  });
}

window.addEventListener("pageshow", () => {
  isSending = false;
  all("[aria-disabled]").forEach((button) => button.removeAttribute("aria-disabled"));
});

function sendWithCtrlEnter(form) {
  form.addEventListener("keydown", (event) => {
    const isAsked = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isAsked || event.target.tagName !== "TEXTAREA") return;
    event.preventDefault();
    form.requestSubmit(form.querySelector(".primary"));
  });
}

// A reload or a dropped connection must not cost what was typed. Kept in this tab only, and gone
// as soon as the same address shows anything but the form.
function keepDraft(form) {
  const key = `draft:${location.pathname}`;
  const inputs = () => [...form.elements].filter((input) => /^f\d+$/.test(input.name));
  const isTick = (input) => input.type === "radio" || input.type === "checkbox";
  const state = (input) => (isTick(input) ? input.checked : input.value);
  const saved = JSON.parse(sessionStorage.getItem(key) || "null");
  if (saved && !document.getElementById("problems") && saved.length === inputs().length) {
    inputs().forEach((input, place) => {
      if (isTick(input)) input.checked = saved[place];
      else input.value = saved[place];
    });
  }
  form.addEventListener("input", () => {
    sessionStorage.setItem(key, JSON.stringify(inputs().map(state)));
  });
}

/* Receipts */

async function followReceipt(node) {
  while (node.dataset.state === "waiting" && node.isConnected) {
    await pause(3000);
    if (document.hidden) continue;
    const answer = await fetch(node.dataset.receipt, { headers: { Accept: "application/json" } })
      .catch(() => null);
    if (!answer?.ok) continue;
    const told = await answer.json();
    const text = node.querySelector("[data-text]");
    if (text.textContent !== told.text) text.textContent = told.text;
    node.dataset.state = told.state;
  }
}

/* Live lists */

async function refresh(box, say) {
  const headers = { "If-None-Match": box.dataset.version };
  const answer = await fetch(box.dataset.refresh, { headers, redirect: "manual" }).catch(() => null);
  if (answer?.status === 304) {
    say("");
  } else if (answer?.ok) {
    swap(box, await answer.text(), say);
    box.dataset.version = answer.headers.get("ETag") ?? "";
  } else if (answer && (answer.type === "opaqueredirect" || answer.status === 401)) {
    say("You are signed out. Reload the page to sign in.");
  } else {
    say("Parley cannot be reached just now. The list may be out of date.");
  }
}

// Ticks, focus and the place on the page stay; what was focused and is gone gives way to the heading.
function swap(box, html, say) {
  const ticked = new Set(all("input:checked", box).map((input) => input.value));
  const focused = box.contains(document.activeElement) ? document.activeElement.id : null;
  const heading = () => box.querySelector("h2");
  const before = heading()?.textContent;
  box.innerHTML = html;
  all("input[type=checkbox]", box).forEach((input) => { input.checked = ticked.has(input.value); });
  enhanceTimes(box);
  if (focused !== null) {
    const target = (focused && document.getElementById(focused)) || heading();
    if (target === heading()) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
  say(heading()?.textContent === before ? "" : `Updated: ${heading().textContent.trim()}`);
}

const isSelecting = (box) => {
  const selection = getSelection();
  return !selection.isCollapsed && box.contains(selection.anchorNode);
};

async function keepFresh(box) {
  const note = document.querySelector("[data-live-note]");
  const say = (text) => { if (note.textContent !== text) note.textContent = text; };
  const refreshNow = () => refresh(box, say);
  useKeys(box, refreshNow);
  for (;;) {
    await pause(5000);
    if (!document.hidden && !isSelecting(box)) await refreshNow();
  }
}

/* Single keys: only where the page documents them and lets them be switched off */

const isTyping = (node) =>
  node.matches("textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]");

function useKeys(box, refreshNow) {
  const help = document.getElementById("keys");
  if (!help) return;
  const toggle = help.querySelector("[data-keys-switch]");
  const input = toggle.querySelector("input");
  toggle.hidden = false;
  input.checked = localStorage.getItem("keys") !== "off";
  input.addEventListener("change", () => localStorage.setItem("keys", input.checked ? "on" : "off"));

  const rows = () => all("[data-row]", box);
  const current = () => rows().findIndex((row) => row.contains(document.activeElement));
  const go = (step) => {
    const place = current() < 0 && step < 0 ? rows().length : current();
    rows()[Math.max(0, Math.min(rows().length - 1, place + step))]?.querySelector("a").focus();
  };
  const actions = {
    j: () => go(1),
    k: () => go(-1),
    x: () => rows()[current()]?.querySelector("input")?.click(),
    "/": () => document.getElementById("q").focus(),
    r: refreshNow,
    "?": () => {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus();
    },
  };
  document.addEventListener("keydown", (event) => {
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!action || !input.checked || isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    action();
  });
}

/* Secrets */

function offerToReveal(label) {
  const field = document.getElementById(label.dataset.reveal);
  const input = label.querySelector("input");
  label.hidden = false;
  input.checked = false;
  input.addEventListener("change", () => { field.type = input.checked ? "text" : "password"; });
  field.form.addEventListener("submit", () => { field.type = "password"; });
}

/* Start */

// For browsers that honour `autofocus` on inputs only.
window.addEventListener("load", () => document.getElementById("problems")?.focus());
enhanceTimes(document);
all("form[data-once]").forEach(sendOnce);
all("form.answer").forEach(sendWithCtrlEnter);
const drafted = all("form[data-draft]");
drafted.forEach(keepDraft);
if (!drafted.length) sessionStorage.removeItem(`draft:${location.pathname}`);
all("[data-receipt]").forEach(followReceipt);
all("[data-reveal]").forEach(offerToReveal);
all("#live[data-refresh]").forEach(keepFresh);
