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
