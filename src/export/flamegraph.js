"use strict";
// A click enlarges a frame to the whole width; one on what is below it goes back. Ctrl-f or / searches, Escape resets.
const frames = [...document.querySelectorAll("#frames > svg")].map((element) => ({
  element,
  x: Number(element.getAttribute("x")),
  width: Number(element.getAttribute("width")),
  y: Number(element.getAttribute("y")),
}));
const whole = Number(document.documentElement.getAttribute("width"));

function enlarge({ x, width, y }) {
  for (const frame of frames) {
    const below = frame.y > y && frame.x <= x + 0.05 && frame.x + frame.width >= x + width - 0.05;
    const above = frame.y <= y && frame.x >= x - 0.05 && frame.x + frame.width <= x + width + 0.05;
    frame.element.classList.toggle("outside", !below && !above);
    frame.element.setAttribute("x", below ? 0 : ((frame.x - x) / width) * whole);
    frame.element.setAttribute("width", below ? whole : (frame.width / width) * whole);
  }
}

function search() {
  const pattern = prompt("Frames whose name contains:");
  if (pattern === null) return;
  for (const { element } of frames) {
    element.classList.toggle("found", pattern !== "" && element.querySelector("text").textContent.includes(pattern));
  }
}

for (const frame of frames) frame.element.addEventListener("click", () => enlarge(frame));
addEventListener("keydown", (event) => {
  if (event.key === "/" || (event.key === "f" && event.ctrlKey)) {
    event.preventDefault();
    search();
  }
  if (event.key === "Escape") enlarge({ x: 0, width: whole, y: Infinity });
});
