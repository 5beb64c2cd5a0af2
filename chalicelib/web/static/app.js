// What the pages gain from a script: countdowns, local time, drafts, live receipts and lists,
// keyboard use. Everything they need works without it.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

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

// The server's clock counts, not the device's: `now` is its time when the page was made.
function countDown(node) {
  const skew = Number(node.dataset.now) - Date.now();
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
    node.parentElement.classList.toggle("over", seconds === 0);
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
    await new Promise((resolve) => setTimeout(resolve, 3000));
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
