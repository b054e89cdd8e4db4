// The picture: static parts are drawn once and cached, worms are redrawn in every cycle.

const CIVIDIS = ["#00204c", "#213d6b", "#555b6c", "#7b7a77", "#a59c74", "#d3c064", "#ffe945"];
const COLOURS = 6, MARKERS = 3, NAME_UNIT = 26;

function rgb(hex) { return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)); }

// Colour of a fraction from 0 to 1: high values contrast with the page, light or dark.
function shade(share, dark) {
  const place = Math.min(Math.max(dark ? 0.15 + 0.85 * share : 0.92 * (1 - share), 0), 1) * (CIVIDIS.length - 1);
  const k = Math.min(Math.floor(place), CIVIDIS.length - 2), part = place - k;
  const [a, b] = [rgb(CIVIDIS[k]), rgb(CIVIDIS[k + 1])];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * part)).join(",")})`;
}

class Picture {
  constructor(view, scene, use) {
    this.view = view;
    this.scene = scene;
    this.use = use;
    this.most = Math.max(...use.flits, 1e-9);
    this.below = document.createElement("canvas");
    this.above = document.createElement("canvas");
    this.mode = "worms";
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.worms = Array.from({ length: COLOURS }, (_, k) => this.colour(`c${k}`));
    this.dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  }

  get wormWidth() { return Math.min(Math.max(0.06 * this.view.unit, 2), 7); }

  layer(canvas) {
    const { view } = this;
    canvas.width = view.canvas.width;
    canvas.height = view.canvas.height;
    const context = canvas.getContext("2d");
    context.scale(view.ratio, view.ratio);
    context.lineCap = "round";
    context.lineJoin = "round";
    return context;
  }

  path(context, line) {
    const { view } = this;
    context.moveTo(view.across(line[0]), view.down(line[1]));
    for (let k = 2; k < line.length; k += 2) context.lineTo(view.across(line[k]), view.down(line[k + 1]));
  }

  channelPath(context, channel) {
    for (const line of this.view.lines[channel]) this.path(context, line);
  }

  isUndrawn(channel) { return this.scene.ways[this.scene.channels[channel][0]][0] === 2; }

  // All static parts: links below worms, switches and processors above them.
  still() {
    this.links(this.layer(this.below));
    this.vertices(this.layer(this.above));
  }

  links(context) {
    for (const solid of [1, 0]) {
      context.beginPath();
      context.strokeStyle = this.colour(solid ? "link" : "cross");
      context.lineWidth = Math.min(Math.max(0.02 * this.view.unit, 0.6), 1.6);
      context.setLineDash(solid ? [] : [4, 3]);
      this.scene.ways.forEach(([kind, lines, isSolid]) => {
        if (kind !== 2 && isSolid === solid) lines.forEach((line) => this.path(context, line));
      });
      context.stroke();
    }
    context.setLineDash([]);
    if (this.mode === "use") this.utilisation(context);
    this.stubNames(context);
  }

  // The busiest last, on top of the others.
  utilisation(context) {
    const { flits } = this.use, order = flits.map((_, channel) => channel).sort((a, b) => flits[a] - flits[b]);
    context.lineCap = "butt";
    for (const channel of order) {
      if (!flits[channel] || this.isUndrawn(channel)) continue;
      const share = flits[channel] / this.most;
      context.beginPath();
      this.channelPath(context, channel);
      context.strokeStyle = shade(share, this.dark);
      context.lineWidth = this.wormWidth * (0.45 + 0.75 * share);
      context.stroke();
    }
  }

  stubNames(context) {
    const { view } = this;
    if (view.unit < NAME_UNIT) return;
    this.letters(context, Math.min(0.13 * view.unit, 12), this.colour("faint"));
    for (const [x, y, name] of this.scene.stubs) context.fillText(name, view.across(x), view.down(y));
  }

  letters(context, pixels, colour) {
    context.font = `${pixels.toFixed(1)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = colour;
  }

  vertices(context) {
    const { view, scene } = this, { unit } = view;
    context.lineWidth = 0.8;
    context.strokeStyle = this.colour("faint");
    context.fillStyle = this.colour("processor");
    const side = scene.side * unit;
    for (const [x, y] of scene.spots) {
      context.fillRect(view.across(x) - side / 2, view.down(y) - side / 2, side, side);
      context.strokeRect(view.across(x) - side / 2, view.down(y) - side / 2, side, side);
    }
    if (side > 8) {
      this.letters(context, 0.5 * side, this.colour("ink"));
      for (const [x, y, processor] of scene.spots) context.fillText(processor, view.across(x), view.down(y) + 0.5);
    }
    scene.switches.forEach((one, i) => this.circle(context, one, i === scene.root));
  }

  circle(context, [x, y, halfWidth, halfHeight, name], isRoot) {
    const { view } = this, { unit } = view;
    const left = view.across(x), top = view.down(y), small = CIRCLE;
    context.beginPath();
    if (this.scene.boxed) {
      context.rect(left - halfWidth * unit, top - halfHeight * unit, 2 * halfWidth * unit, 2 * halfHeight * unit);
    } else context.arc(left, top, small * halfWidth * unit, 0, 2 * Math.PI);
    context.fillStyle = this.colour("switch");
    context.fill();
    context.lineWidth = Math.min(Math.max(unit / 45, 0.8), 2);
    context.strokeStyle = this.colour(isRoot ? "root" : "ink");
    context.stroke();
    const pixels = this.scene.boxed ? 0.13 * unit : Math.min((0.95 * halfWidth * unit * small) / Math.max(1, 0.3 * name.length + 0.35), 18);
    if (pixels < 5) return;
    this.letters(context, pixels, this.colour(isRoot ? "root" : "ink"));
    context.fillText(name, left, top + 0.5);
  }

  draw(moment, chosen) {
    const context = this.view.canvas.getContext("2d"), { view } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colour("page");
    context.fillRect(0, 0, view.canvas.width, view.canvas.height);
    context.drawImage(this.below, 0, 0);
    context.scale(view.ratio, view.ratio);
    context.lineCap = "round";
    context.lineJoin = "round";
    if (this.mode === "worms") this.drawWorms(context, moment, chosen);
    if (chosen.channel >= 0) this.mark(context, chosen.channel);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.above, 0, 0);
    context.scale(view.ratio, view.ratio);
    if (this.mode === "worms") this.drawWaiting(context, moment, chosen);
  }

  // The selected channel, between two lines.
  mark(context, channel) {
    for (const [width, colour] of [[this.wormWidth + 7, "ink"], [this.wormWidth + 4, "page"]]) {
      context.beginPath();
      this.channelPath(context, channel);
      context.lineCap = "butt";
      context.lineWidth = width;
      context.strokeStyle = this.colour(colour);
      context.globalAlpha = colour === "page" ? 0.75 : 1;
      context.stroke();
    }
    context.globalAlpha = 1;
    if (this.mode === "worms" && this.heldColour) {
      const colour = this.heldColour(channel);
      if (colour) this.stroke(context, [channel], colour, this.wormWidth);
    }
  }

  stroke(context, channels, colour, width, dash = []) {
    context.beginPath();
    for (const channel of channels) this.channelPath(context, channel);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  drawWorms(context, moment, chosen) {
    const { visits, holder } = moment, wide = this.wormWidth;
    const looks = Array.from({ length: 2 * COLOURS }, () => []);
    const look = (visit) => 2 * (visits.message[visit] % COLOURS) + (chosen.several(visits.message[visit]) ? 1 : 0);
    for (let channel = 0; channel < holder.length; channel += 1) {
      if (holder[channel] >= 0) looks[look(holder[channel])].push(channel);
    }
    this.heldColour = (channel) => (holder[channel] < 0 ? null : this.worms[visits.message[holder[channel]] % COLOURS]);
    context.globalAlpha = chosen.members.size ? 0.3 : 1;
    looks.forEach((channels, k) => {
      if (!channels.length) return;
      this.stroke(context, channels, this.worms[k >> 1], k & 1 ? wide : 0.55 * wide);
      this.drawHeads(context, channels.filter((channel) => !moment.goneOn[holder[channel]]), this.worms[k >> 1]);
    });
    context.globalAlpha = 1;
    if (chosen.members.size) this.drawTree(context, moment, chosen);
  }

  // Arrows at the heads of worms.
  drawHeads(context, channels, colour) {
    const { view } = this, size = Math.min(Math.max(0.065 * view.unit, 3.2), 9);
    context.fillStyle = colour;
    for (const channel of channels) {
      const lines = view.lines[channel], line = lines[lines.length - 1], k = line.length - 4;
      const ax = view.across(line[k]), ay = view.down(line[k + 1]);
      const bx = view.across(line[k + 2]), by = view.down(line[k + 3]);
      const length = Math.hypot(bx - ax, by - ay) || 1, dx = (bx - ax) / length, dy = (by - ay) / length;
      const [, , source, sink] = this.scene.channels[channel], hidden = view.hiddenBy(sink) * view.unit;
      const seen = length - hidden - (lines.length === 1 && k === 0 ? view.hiddenBy(source) * view.unit : 0);
      const back = hidden + Math.min(Math.max(size, 0), 0.5 * seen);
      const x = bx - dx * back, y = by - dy * back;
      context.beginPath();
      context.moveTo(x + dx * size, y + dy * size);
      context.lineTo(x - dx * size - dy * size, y - dy * size + dx * size);
      context.lineTo(x - dx * size + dy * size, y - dy * size - dx * size);
      context.fill();
    }
  }

  // All channels of the selected message: released, held, and future ones.
  drawTree(context, moment, chosen) {
    const { visits, cycle } = moment, left = [], held = [], coming = [];
    for (const message of chosen.members) {
      for (const v of visits.ofMessage(message)) {
        (visits.head[v] > cycle ? coming : visits.tail[v] < cycle ? left : held).push(visits.channel[v]);
      }
    }
    const ink = this.colour("ink"), accent = this.colour("accent");
    this.stroke(context, left, ink, 0.4 * this.wormWidth + 1);
    this.stroke(context, coming, ink, 0.3 * this.wormWidth + 1, [1, 5]);
    this.stroke(context, held, accent, this.wormWidth);
    this.drawHeads(context, held.filter((channel) => !moment.goneOn[moment.holder[channel]]), accent);
  }

  // A dot for each head that waits for a channel, with a ring if another message holds the channel.
  drawWaiting(context, moment, chosen) {
    const { view } = this, { visits } = moment, before = new Map();
    const size = Math.min(Math.max(0.05 * view.unit, 2), 6);
    for (const v of moment.waiting) {
      const channel = visits.channel[v], place = before.get(channel) || 0;
      before.set(channel, place + 1);
      const line = view.lines[channel][0], dx = line[2] - line[0], dy = line[3] - line[1];
      const [, , source, sink] = this.scene.channels[channel], length = Math.hypot(dx, dy) || 1;
      const away = view.hiddenBy(source) + 0.05 + place * 0.11;
      // those without room between the vertices are only in the text
      if (place && (place >= MARKERS || away + 0.05 + view.hiddenBy(sink) > length)) continue;
      const x = view.across(line[0] + (dx / length) * away), y = view.down(line[1] + (dy / length) * away);
      const isChosen = chosen.members.has(visits.message[v]);
      context.globalAlpha = chosen.members.size && !isChosen ? 0.3 : 1;
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fillStyle = isChosen ? this.colour("accent") : this.worms[visits.message[v] % COLOURS];
      context.fill();
      if (moment.blocked(v)) {
        context.lineWidth = Math.max(size / 2.5, 1.2);
        context.strokeStyle = this.colour("blocked");
        context.beginPath();
        context.arc(x, y, size + 1.6, 0, 2 * Math.PI);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }
}
