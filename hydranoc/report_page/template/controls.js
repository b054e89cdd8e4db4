// Controls of the page: buttons, keys and the mouse.

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const SECONDS_OF_A_REPLAY = 90, FRAMES_KEPT = 240, TOLD_EVERY_MILLISECONDS = 200;
const byId = (name) => document.getElementById(name);

class Player {
  constructor(page) {
    Object.assign(this, page);
    this.time = this.first;
    this.playing = false;
    this.dirty = true;
    this.still = true;
    this.frames = [];
    const several = (message) => this.messages.destinations[message].length > 1 || this.messages.membersOf(message).length > 1;
    this.chosen = { message: -1, channel: -1, members: new Set(), several };
    this.teller = new Teller(page, (what) => this.choose(what));
    this.connect();
    this.legend();
    requestAnimationFrame((now) => this.frame(now));
  }

  get cycle() { return Math.floor(this.time); }

  // The new selection: { message } or { channel } or { channel, message } or {}.
  choose({ message = -1, channel = -1 }) {
    Object.assign(this.chosen, { message, channel });
    this.chosen.members = new Set(message < 0 ? [] : this.messages.membersOf(message));
    byId("message").value = message < 0 ? "" : this.messages.number[message];
    byId("channel").value = channel < 0 ? "" : this.scene.channels[channel][4];
    this.dirty = true;
  }

  // Select a channel and its holder; nothing if there is none.
  chooseAt(x, y) {
    const moment = this.moment.at(this.cycle);
    const channel = this.view.channelAt(x, y, (one) => !this.picture.isUndrawn(one) || moment.holder[one] >= 0);
    const holder = channel < 0 ? -1 : moment.holder[channel];
    this.choose({ channel, message: holder < 0 ? -1 : this.visits.message[holder] });
  }

  go(cycle) {
    this.time = Math.min(Math.max(cycle, this.first), this.last - 1);
    this.dirty = true;
  }

  play(on) {
    this.dirty = true;
    if (on && this.cycle >= this.last - 1) this.time = this.first;
    this.playing = on;
    byId("play").textContent = on ? "Pause" : "Play";
  }

  frame(now) {
    if (this.playing) {
      const before = this.cycle;
      this.time += (Math.min(now - this.shown, 250) / 1000) * Number(byId("speed").value);
      if (this.time >= this.last - 1) { this.time = this.last - 1; this.play(false); }
      this.dirty = this.dirty || this.cycle !== before;
    }
    this.shown = now;
    if (this.dirty) this.render();
    requestAnimationFrame((next) => this.frame(next));
  }

  render() {
    const began = performance.now();
    if (this.still) this.picture.still();
    this.still = this.dirty = false;
    const moment = this.moment.at(this.cycle);
    this.picture.draw(moment, this.chosen);
    byId("cycle").value = this.cycle;
    byId("now").textContent = `cycle ${told(this.cycle)} of ${told(this.first)} to ${told(this.last - 1)}`;
    this.tell(moment, began);
    this.frames.push(performance.now() - began);
    if (this.frames.length > FRAMES_KEPT) this.frames.shift();
  }

  // Update the text; during play at a readable rate, and not while a button there is pressed or has the focus.
  tell(moment, now) {
    const box = byId("told"), at = document.activeElement;
    const busy = this.pressed || now - this.toldAt < TOLD_EVERY_MILLISECONDS || (box.contains(at) && at !== box);
    if (this.playing && busy && this.toldOf === this.chosen.members) return;
    box.replaceChildren(...this.teller.tell(moment, this.chosen));
    this.toldAt = now;
    this.toldOf = this.chosen.members;
  }

  redraw() {
    this.still = this.dirty = true;
  }

  connect() {
    const { view } = this, canvas = view.canvas;
    const cycle = byId("cycle"), speed = byId("speed");
    cycle.min = this.first;
    cycle.max = this.last - 1;
    for (const each of SPEEDS) speed.append(new Option(`${each.toLocaleString("en")} cycles per second`, each));
    const wanted = (this.last - this.first) / SECONDS_OF_A_REPLAY;
    speed.value = SPEEDS.find((each) => each >= wanted && each >= 20) || SPEEDS[SPEEDS.length - 1];
    byId("channels").append(...this.scene.channels.map(([, , , , name]) => new Option(name)));
    cycle.addEventListener("input", () => { this.play(false); this.go(Number(cycle.value)); });
    byId("play").addEventListener("click", () => this.play(!this.playing));
    byId("forward").addEventListener("click", () => this.step(1));
    byId("back").addEventListener("click", () => this.step(-1));
    byId("clear").addEventListener("click", () => this.choose({}));
    for (const [name, factor] of [["in", 1.4], ["out", 1 / 1.4]]) {
      byId(name).addEventListener("click", () => { view.scale(factor); this.redraw(); });
    }
    byId("whole").addEventListener("click", () => { view.whole(); this.redraw(); });
    byId("message").addEventListener("change", (event) => this.findMessage(event.target));
    byId("channel").addEventListener("change", (event) => this.findChannel(event.target));
    for (const radio of document.getElementsByName("mode")) {
      radio.addEventListener("change", () => { this.picture.mode = radio.value; this.legend(); this.redraw(); });
    }
    new ResizeObserver(() => { view.resize(); this.redraw(); }).observe(canvas);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.picture.readColours();
      this.legend();
      this.redraw();
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.mouse(canvas);
    byId("told").addEventListener("pointerdown", () => { this.pressed = true; });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { this.pressed = false; });
  }

  step(cycles) {
    this.play(false);
    this.go(this.cycle + cycles);
  }

  findMessage(input) {
    const message = this.messages.place.get(Number(input.value));
    input.setCustomValidity(message === undefined && input.value ? "This message is not in the part that is replayed." : "");
    input.reportValidity();
    if (message !== undefined || !input.value) this.choose(message === undefined ? {} : { message });
  }

  findChannel(input) {
    const channel = this.scene.channels.findIndex(([, , , , name]) => name === input.value.trim());
    input.setCustomValidity(channel < 0 && input.value ? "There is no such channel." : "");
    input.reportValidity();
    if (channel >= 0 || !input.value) this.choose({ channel });
  }

  key(event) {
    const many = event.shiftKey ? 10 : 1;
    const does = {
      " ": () => this.play(!this.playing), ArrowRight: () => this.step(many), ArrowLeft: () => this.step(-many),
      Escape: () => this.choose({}), 0: () => { this.view.whole(); this.redraw(); },
      "+": () => { this.view.scale(1.4); this.redraw(); }, "-": () => { this.view.scale(1 / 1.4); this.redraw(); },
    }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    does();
  }

  mouse(canvas) {
    let from = null, far = false;
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.offsetX, event.offsetY];
      far = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const dx = event.offsetX - from[0], dy = event.offsetY - from[1];
      if (!far && Math.hypot(dx, dy) < 4) return;
      far = true;
      from = [event.offsetX, event.offsetY];
      this.view.drag(dx, dy);
      this.redraw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from && !far) this.chooseAt(event.offsetX, event.offsetY);
      from = null;
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.view.scale(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
      this.redraw();
    }, { passive: false });
  }

  legend() {
    const box = byId("legend");
    box.innerHTML = this.picture.mode === "use" ? this.useLegend() : this.wormLegend();
    if (this.scene.rule) box.append(element("span", `${this.scene.rule}${this.picture.mode === "use" ? "" : "; shown while a worm is on it"}`));
  }

  useLegend() {
    const stops = Array.from({ length: 9 }, (_, k) => `<stop offset="${k / 8}" stop-color="${shade(k / 8, this.picture.dark)}"/>`);
    return `<span>0 <svg width="180" height="12"><defs><linearGradient id="scale">${stops.join("")}</linearGradient></defs>`
      + `<rect width="180" height="12" fill="url(#scale)"/></svg>${this.picture.most.toFixed(3)} flits per cycle, cycles `
      + `${told(this.use.first)} to ${told(this.use.last - 1)}; wider is more</span>`;
  }

  wormLegend() {
    const { worms } = this.picture, [a, b] = worms, ring = this.picture.colour("blocked");
    const sign = (body) => `<svg width="30" height="12">${body}</svg>`;
    const line = (colour, width, more = "") => sign(`<path d="M1 6H29" stroke="${colour}" stroke-width="${width}" ${more}/>`);
    const entries = [
      [line(a, 2.5), "unicast on a channel"], [line(b, 5), "multicast"],
      [sign(`<path d="M8 1L22 6L8 11z" fill="${a}"/>`), "its head"],
      [sign(`<circle cx="15" cy="6" r="3.5" fill="${a}"/>`), "head waits in a switch"],
      [sign(`<circle cx="15" cy="6" r="2.8" fill="${a}"/><circle cx="15" cy="6" r="4.8" fill="none" stroke="${ring}" stroke-width="1.4"/>`),
        "before a channel that another message holds"],
    ];
    const colours = "colours only tell messages apart";
    return entries.map(([sample, text]) => `<span>${sample}${text}</span>`).join("") + `<span>${colours}</span>`;
  }
}

async function open() {
  const { scene, use, stuck, replay, cycles } = await unpacked(byId("data").textContent);
  const visits = visitsOf(replay, scene.channels.length), messages = messagesOf(replay.messages);
  const view = new View(byId("canvas"), scene), picture = new Picture(view, scene, use);
  const moment = new Moment(visits, scene.channels.length);
  const { first, last } = replay, behind = new Map(replay.behind);
  window.hydranoc = new Player({ scene, use, stuck, behind, visits, messages, view, picture, moment, first, last, cycles });
}

open().catch((error) => {
  byId("failure").hidden = false;
  byId("failure").textContent = `The replay cannot be shown: ${error.message}`;
  throw error;
});
