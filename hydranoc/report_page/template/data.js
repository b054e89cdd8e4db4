// The page's data: deflated JSON becomes columns of numbers.

const NEVER = Infinity;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function summed(differences) {
  const column = new Float64Array(differences.length);  // cycles may have more than 32 bits
  let sum = 0;
  differences.forEach((difference, i) => { column[i] = sum += difference; });
  return column;
}

// Positions of all entries with each key, by key: those of k are list[start[k]] to list[start[k + 1] - 1].
function indexed(keys, count) {
  const start = new Int32Array(count + 1);
  for (const key of keys) start[key + 1] += 1;
  for (let k = 0; k < count; k += 1) start[k + 1] += start[k];
  const next = start.slice(), list = new Int32Array(keys.length);
  keys.forEach((key, i) => { list[next[key]++] = i; });
  return (key) => list.subarray(start[key], start[key + 1]);
}

// Visits of messages to channels: a message waits for a channel from `since`, and holds it from `head` to `tail`.
function visitsOf(columns, channels) {
  const head = summed(columns.head), count = head.length, seen = count - columns.headless;
  const since = head.map((cycle, i) => cycle - columns.wait[i]);
  const tail = head.map((cycle, i) => (columns.tail[i] < 0 ? NEVER : cycle + columns.tail[i]));
  head.fill(NEVER, seen);
  tail.fill(NEVER, seen);
  const before = Int32Array.from(columns.before, (ago, i) => (ago ? i - ago : -1));
  const channel = Int32Array.from(columns.channel), message = summed(columns.message);
  return {
    count, channel, message, since, head, tail, before,
    ofMessage: indexed(message, columns.messages.source.length),
    ofChannel: indexed(channel, channels),
    after: indexed(before.map((visit) => visit + 1), count + 1),
  };
}

function messagesOf(columns) {
  const number = summed(columns.number);
  const place = new Map(Array.from(number, (own, i) => [own, i]));
  const members = new Map();
  columns.group.forEach((group, i) => {
    if (!members.has(group)) members.set(group, []);
    members.get(group).push(i);
  });
  return {
    ...columns, number, place, start: summed(columns.start),
    membersOf: (i) => (columns.group.length ? members.get(columns.group[i]) : [i]),
  };
}

// The network in one cycle: the holder of each channel, waiting heads, and positions of worms' heads.

class Moment {
  constructor(visits, channels) {
    this.visits = visits;
    this.holder = new Int32Array(channels);
    this.waiting = [];
    this.goneOn = new Uint8Array(visits.count);
    this.cycle = -1;
  }

  at(cycle) {
    if (cycle === this.cycle) return this;
    const { count, channel, head, tail, since, before } = this.visits;
    this.cycle = cycle;
    this.holder.fill(-1);
    this.goneOn.fill(0);
    this.waiting.length = 0;
    for (let v = 0; v < count; v += 1) {
      if (head[v] <= cycle) {
        if (before[v] >= 0) this.goneOn[before[v]] = 1;
        if (cycle <= tail[v]) this.holder[channel[v]] = v;
      } else if (since[v] < cycle) {
        this.waiting.push(v);
      }
    }
    return this;
  }

  // True if another message holds the channel that a visit waits for.
  blocked(visit) {
    const holder = this.holder[this.visits.channel[visit]];
    return holder >= 0 && this.visits.message[holder] !== this.visits.message[visit];
  }

  waitingFor(channel) {
    const { since } = this.visits;
    return this.waiting.filter((v) => this.visits.channel[v] === channel).sort((a, b) => since[a] - since[b] || a - b);
  }
}
