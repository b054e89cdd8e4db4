// The selection, in words.

const MOST_LISTED = 300;

function element(tag, text = "", parts = []) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...parts);
  return made;
}

function listed(items) {
  const list = element("ul", "", items.slice(0, MOST_LISTED));
  if (items.length > MOST_LISTED) list.append(element("li", `and ${items.length - MOST_LISTED} more`));
  return list;
}

const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
const told = (cycle) => (cycle === NEVER ? "not seen" : cycle.toLocaleString("en"));

class Teller {
  constructor(page, choose) {
    Object.assign(this, page);
    this.choose = choose;
  }

  messageButton(message) {
    const button = element("button", `message ${this.messages.number[message]}`);
    button.type = "button";
    button.addEventListener("click", () => this.choose({ message }));
    return button;
  }

  channelButton(channel) {
    const button = element("button", this.scene.channels[channel][4]);
    button.type = "button";
    button.addEventListener("click", () => this.choose({ channel }));
    return button;
  }

  vertex(number) {
    const { names } = this.scene;
    return number < names.length ? `switch ${names[number]}` : `processor ${number - names.length}`;
  }

  tell(moment, chosen) {
    const parts = [];
    if (chosen.channel >= 0) parts.push(...this.channel(moment, chosen.channel));
    if (chosen.message >= 0) parts.push(...this.message(moment, chosen.message));
    if (!parts.length) parts.push(...this.overview(moment));
    return parts;
  }

  overview(moment) {
    const held = moment.holder.reduce((count, visit) => count + (visit >= 0), 0);
    const blocked = moment.waiting.filter((v) => moment.blocked(v)).length;
    return [
      element("h3", "Now"),
      element("p", `${counted(held, "channel")} held, ${counted(moment.waiting.length, "head")} in switches and `
        + `processors, ${blocked.toLocaleString("en")} of them before channels that other messages hold.`),
      element("p", "Click a worm for the tree of its message, a channel for who holds it and who waits for it."),
      element("p", "Keys in the picture: space plays and pauses, left and right arrows step (with shift ten cycles), "
        + "+, - and 0 change the size, Escape selects nothing. Drag to move, Ctrl and the wheel to zoom."),
    ];
  }

  channel(moment, channel) {
    const [way, , source, sink, name] = this.scene.channels[channel], { use } = this;
    const parts = [element("h3", `Channel ${name}`), element("p", `From ${this.vertex(source)} to ${this.vertex(sink)}. `
      + `${use.flits[channel].toFixed(3)} flits per cycle, stalled in ${(100 * use.stalled[channel]).toFixed(1)} % `
      + `of cycles ${use.first.toLocaleString("en")} to ${(use.last - 1).toLocaleString("en")}.`)];
    const lanes = this.scene.channels.flatMap((one, i) => (one[0] === way && i !== channel ? [i] : []));
    if (lanes.length) {
      parts.push(element("p", "Other lanes: ", lanes.flatMap((lane) => [this.channelButton(lane), " "])));
    }
    parts.push(element("h3", "Held by"), this.holder(moment, channel));
    const waiting = moment.waitingFor(channel);
    parts.push(element("h3", `Waiting for it: ${waiting.length}`), this.waiters(moment, waiting));
    const behind = this.behind.get(channel);
    if (behind) parts.push(element("p", `At the end of this part ${counted(behind, "message")} more wait behind them.`));
    const stuck = this.stuck.filter(([at, , blockers]) => at === channel || blockers.includes(channel));
    if (stuck.length) parts.push(element("h3", "In the deadlock"), listed(stuck.map((wait) => this.stuckText(wait))));
    return parts;
  }

  holder(moment, channel) {
    const visit = moment.holder[channel], { visits } = this;
    if (visit < 0) return element("p", "nobody");
    const until = visits.tail[visit] === NEVER ? "its tail is not seen to pass" : `to ${told(visits.tail[visit])}`;
    return element("p", "", [this.messageButton(visits.message[visit]),
      ` from cycle ${told(visits.head[visit])} ${until}`]);
  }

  waiters(moment, waiting) {
    const { visits } = this;
    if (!waiting.length) return element("p", "nobody");
    return listed(waiting.map((v) => {
      const came = visits.before[v] >= 0 ? `, came over ${this.scene.channels[visits.channel[visits.before[v]]][4]}` : "";
      const item = element("li", "", [this.messageButton(visits.message[v]),
        ` since cycle ${told(visits.since[v])} (${counted(moment.cycle - visits.since[v], "cycle")})${came}`]);
      item.classList.toggle("blocked", moment.blocked(v));
      return item;
    }));
  }

  stuckText([at, message, , reason]) {
    const who = message < 0 ? "no flit" : `message ${message}`;
    return element("li", `${this.scene.channels[at][4]} (${who}) waits ${reason}`);
  }

  message(moment, i) {
    const { messages, visits } = this, destinations = messages.destinations[i];
    const arrived = messages.latency[i] < 0 ? "It never arrives everywhere."
      : `The last tail arrives after ${counted(messages.latency[i], "cycle")}, in cycle `
        + `${told(messages.start[i] + messages.latency[i])}.`;
    const to = destinations.length === 1 ? `processor ${destinations[0]}`
      : `${destinations.length} processors: ${destinations.join(" ")}`;
    const parts = [element("h3", `Message ${messages.number[i]}`),
      element("p", `${counted(messages.flits[i], "flit")} from processor ${messages.source[i]} to ${to}.`),
      element("p", `Starts in cycle ${told(messages.start[i])}. ${arrived}`)];
    const own = Array.from(visits.ofMessage(i));
    const held = own.filter((v) => visits.head[v] <= moment.cycle && moment.cycle <= visits.tail[v]);
    const waits = moment.waiting.filter((v) => visits.message[v] === i);
    parts.push(element("p", `Holds ${counted(held.length, "channel")} now, waits for ${waits.length || "none"}${waits.length ? ": " : "."}`,
      waits.slice(0, 20).flatMap((v) => [this.channelButton(visits.channel[v]), " "])));
    parts.push(element("h3", `Its way: ${counted(own.length, "channel")} in cycles`));
    const roots = own.filter((v) => visits.before[v] < 0);
    parts.push(this.tree(roots, { left: MOST_LISTED }), ...this.others(i));
    return parts;
  }

  // The other messages of a software multicast.
  others(i) {
    const members = this.messages.membersOf(i).filter((other) => other !== i);
    if (!members.length) return [];
    return [element("h3", `Sent by software with ${counted(members.length, "other")} seen here`), element("p", "",
      members.slice(0, MOST_LISTED).flatMap((other) => [this.messageButton(other), " "]))];
  }

  // Consecutive channels are in one list; where a worm splits, its branches are lists of their own.
  tree(at, budget) {
    const { visits } = this, list = element("ul");
    for (let next = at; next.length && budget.left > 0;) {
      for (const v of next) {
        if (budget.left-- <= 0) break;
        const text = visits.head[v] === NEVER ? " not had" : ` ${told(visits.head[v])} to ${told(visits.tail[v])}`;
        const item = element("li", "", [this.channelButton(visits.channel[v]), text]);
        list.append(item);
        const after = Array.from(visits.after(v + 1));
        if (next.length > 1 && after.length) item.append(this.tree(after, budget));
      }
      next = next.length > 1 ? [] : Array.from(visits.after(next[0] + 1));
    }
    if (budget.left <= 0) list.append(element("li", "..."));
    return list;
  }
}
