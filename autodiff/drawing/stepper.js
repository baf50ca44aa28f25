// Turns the frames of a stepper, each a details element that reads well by itself, into a player.
// Left and right: one frame; Home and End: first and last; space: play or pause.
(() => {
  "use strict";

  function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function upgrade(root) {
    const frames = [...root.querySelectorAll("details")];
    const list = root.querySelector(".ad-frames");
    const still = window.matchMedia("(prefers-reduced-motion: reduce)");
    const count = frames.length;
    let at = 0;
    let timer = 0;

    const previous = make("button", { type: "button" }, "Previous");
    const play = make("button", { type: "button" }, "Play");
    const next = make("button", { type: "button" }, "Next");
    const slider = make("input", { type: "range", min: 1, max: count, value: 1, "aria-label": "Frame" });
    const place = make("output", {});
    const bar = make("div", { class: "ad-bar", role: "group", "aria-label": "Which frame" },
      previous, play, next, slider, place);
    const image = make("img", {});
    const picture = make("div", { class: "ad-picture", tabindex: 0, role: "group",
      "aria-label": "The graph; left and right arrow keys go from frame to frame" }, image);
    const words = make("div", { class: "ad-words", "aria-live": "polite", "aria-atomic": "true" });

    function show(k) {
      at = Math.min(Math.max(k, 0), count - 1);
      const source = frames[at].querySelector("img");
      image.src = source.src;
      image.alt = source.alt;
      image.width = source.width;
      // A wide graph is made smaller to fit, but not so small that it can't be read: then it scrolls.
      image.style.width = `max(min(100%, ${source.getAttribute("width")}px), ${0.72 * source.getAttribute("width")}px)`;
      const said = [...frames[at].querySelectorAll("p")].map((each) => each.cloneNode(true));
      words.replaceChildren(make("p", {}, make("strong", {}, frames[at].querySelector("summary").textContent)), ...said);
      slider.value = at + 1;
      slider.setAttribute("aria-valuetext", `${at + 1} of ${count}: ${frames[at].querySelector("summary").textContent}`);
      place.textContent = `${at + 1} of ${count}`;
      previous.setAttribute("aria-disabled", at === 0);
      next.setAttribute("aria-disabled", at === count - 1);
      const focus = source.dataset.at;
      if (focus && picture.scrollWidth > picture.clientWidth) {
        picture.scrollLeft = focus * picture.scrollWidth - picture.clientWidth / 2;
      }
    }

    function pause() {
      window.clearTimeout(timer);
      timer = 0;
      play.textContent = "Play";
    }

    function wait() {
      // As long as it takes to read the frame.
      timer = window.setTimeout(() => {
        if (!root.isConnected) return pause();
        show(at + 1);
        if (at === count - 1) pause(); else wait();
      }, 1200 + 35 * words.textContent.length);
    }

    function toggle() {
      if (timer) return pause();
      if (still.matches) return show(at + 1); // nothing moves by itself for those who asked for that
      if (at === count - 1) show(0);
      play.textContent = "Pause";
      wait();
    }

    function go(k) {
      pause();
      show(k);
    }

    function follow() {
      pause();
      play.hidden = still.matches;
    }

    previous.addEventListener("click", () => go(at - 1));
    next.addEventListener("click", () => go(at + 1));
    play.addEventListener("click", toggle);
    slider.addEventListener("input", () => go(slider.value - 1));
    still.addEventListener("change", follow);
    function press(event) {
      if (!root.contains(event.target)) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 };
      if (event.key in moves) go(moves[event.key]);
      else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) toggle();
      else return;
      event.preventDefault();
      event.stopPropagation();
    }

    // Notebooks take the arrow keys on their way down, so they are met before that, while the focus is here.
    root.addEventListener("focusin", () => window.addEventListener("keydown", press, true));
    root.addEventListener("focusout", () => window.removeEventListener("keydown", press, true));

    list.hidden = true;
    list.before(bar, picture, words);
    root.dataset.live = "true";
    follow();
    show(0);
  }

  const here = document.currentScript && document.currentScript.closest(".ad-step");
  for (const root of here ? [here] : document.querySelectorAll(".ad-step")) {
    if (!root.dataset.live) upgrade(root);
  }
})();
