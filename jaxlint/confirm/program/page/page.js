"use strict";
// The cards show and hide what they count.
for (const card of document.querySelectorAll(".card")) {
  card.addEventListener("click", () => {
    const on = card.getAttribute("aria-pressed") !== "true";
    card.setAttribute("aria-pressed", String(on));
    for (const note of document.querySelectorAll(`[data-kind=${card.dataset.filter}]`)) {
      note.hidden = !on;
    }
  });
}
// A link into folded lines or to a rule's page unfolds it.
function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  for (let node = target; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
  }
  if (target) target.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", unfold);
unfold();
// On paper nothing can be unfolded; only source lines of which nothing is said stay away.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not(.fold):not([open])")];
  for (const each of opened) each.open = true;
});
addEventListener("afterprint", () => {
  for (const each of opened) each.open = false;
});
