// Positions on the canvas. Lengths of the network are those of the drawing, upwards; the canvas's are pixels.

const LANE_GAP = 0.07, LANES_WIDTH = 0.2, BESIDE = 0.05, EDGE = 0.45, NEAR_PIXELS = 9, CIRCLE = 0.78;

function pieces(scene) {
  const between = new Set(scene.channels.map(([, , source, sink]) => `${source} ${sink}`));
  const lanes = new Int32Array(scene.ways.length);
  scene.channels.forEach(([way]) => { lanes[way] += 1; });
  return scene.channels.map(([way, rank, source, sink]) => {
    // channels of a processor leave and reach it within its box
    const wide = Math.max(source, sink) < scene.switches.length ? LANES_WIDTH + BESIDE : 0.42 * scene.side;
    const twoWays = between.has(`${sink} ${source}`), gap = Math.min(LANE_GAP, wide / (lanes[way] + 0.5));
    const aside = twoWays ? Math.min(BESIDE, 0.7 * gap) + rank * gap : (rank - (lanes[way] - 1) / 2) * gap;
    return scene.ways[way][1].map((points) => moved(points, aside));
  });
}

// A line moved to its right, as seen in the direction of travel.
function moved(points, aside) {
  const last = points.length / 2 - 1, line = new Float32Array(points.length);
  for (let k = 0; k <= last; k += 1) {
    const a = 2 * Math.max(k - 1, 0), b = 2 * Math.min(k + 1, last);
    const dx = points[b] - points[a], dy = points[b + 1] - points[a + 1], length = Math.hypot(dx, dy) || 1;
    line[2 * k] = points[2 * k] + (dy / length) * aside;
    line[2 * k + 1] = points[2 * k + 1] - (dx / length) * aside;
  }
  return line;
}

class View {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.lines = pieces(scene);
    const xs = [], ys = [];
    for (const [x, y] of [...scene.switches, ...scene.spots, ...scene.stubs]) { xs.push(x); ys.push(y); }
    const [left, right] = extent(xs), [low, high] = extent(ys);
    this.box = { left: left - EDGE, right: right + EDGE, low: low - EDGE, high: high + EDGE };
    this.zoom = 1;
    this.resize();
    this.whole();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, { clientWidth, clientHeight } = this.canvas;
    this.ratio = ratio;
    this.width = Math.max(clientWidth, 1);
    this.height = Math.max(clientHeight, 1);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
  }

  whole() {
    this.zoom = 1;
    this.x = (this.box.left + this.box.right) / 2;
    this.y = (this.box.low + this.box.high) / 2;
  }

  // Pixels per unit.
  get unit() {
    const { left, right, low, high } = this.box;
    return this.zoom * Math.min(this.width / (right - left), this.height / (high - low), 170);
  }

  across(x) { return this.width / 2 + (x - this.x) * this.unit; }

  down(y) { return this.height / 2 - (y - this.y) * this.unit; }

  // Zoom in or out, with the point at (px, py) fixed.
  scale(factor, px = this.width / 2, py = this.height / 2) {
    const before = this.unit;
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.5), 40);
    const change = 1 / before - 1 / this.unit;
    this.x += (px - this.width / 2) * change;
    this.y -= (py - this.height / 2) * change;
  }

  drag(dx, dy) {
    this.x -= dx / this.unit;
    this.y += dy / this.unit;
  }

  // The channel nearest to a point of the canvas, or -1; of undrawn ones only those that `shown` accepts.
  channelAt(px, py, shown) {
    let best = -1, nearest = NEAR_PIXELS;
    this.lines.forEach((parts, channel) => {
      if (!shown(channel)) return;
      for (const line of parts) {
        for (let k = 0; k + 3 < line.length; k += 2) {
          const apart = distance(px, py, this.across(line[k]), this.down(line[k + 1]),
            this.across(line[k + 2]), this.down(line[k + 3]));
          if (apart < nearest) { nearest = apart; best = channel; }
        }
      }
    });
    return best;
  }

  // Length in units that a vertex hides of the lines that end at it.
  hiddenBy(vertex) {
    const { switches, side, boxed } = this.scene;
    if (vertex >= switches.length) return side / 2;
    return boxed ? 0.2 : CIRCLE * switches[vertex][2];
  }

  // A point of the canvas in the middle of a channel.
  middleOf(channel) {
    const line = this.lines[channel][0], k = 2 * Math.floor((line.length / 2 - 1) / 2);
    return [this.across((line[k] + line[k + 2]) / 2), this.down((line[k + 1] + line[k + 3]) / 2)];
  }
}

function extent(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

function distance(px, py, ax, ay, bx, by) {
  const dx = bx - ax, dy = by - ay;
  const part = Math.min(Math.max(((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1), 0), 1);
  return Math.hypot(px - ax - part * dx, py - ay - part * dy);
}
