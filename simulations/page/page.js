"use strict";
// Everything that is shown is set as text, never as markup.
const EVERY_MS = 500;
const KINDS = new Set(["busy", "partly", "idle", "draining", "booting"]);
const at = (id) => document.getElementById(id);

function rows(id, list, cellsOf) {
  at(id).replaceChildren(...list.map((item) => {
    const row = document.createElement("tr");
    for (const cell of cellsOf(item)) {
      const td = document.createElement("td");
      if (cell instanceof Node) td.append(cell); else td.textContent = String(cell);
      row.append(td);
    }
    return row;
  }));
}

function cells(kinds) {
  const box = document.createElement("span");
  for (const kind of kinds) {
    const sign = document.createElement("i");
    if (KINDS.has(kind)) { sign.className = kind; sign.title = kind; }
    box.append(sign);
  }
  return box;
}

const usd = (amount) => "$" + amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function show(state) {
  at("clock").textContent = state.clock;
  at("chapter").textContent = state.chapter;
  at("figures").textContent = `${usd(state.usdPerHour)}/h, ${usd(state.usdSoFar)} so far; GPUs ${state.gpusBusy} of ` +
    `${state.gpusReady} busy; jobs ${state.jobsDone} of ${state.jobs} done`;
  rows("pools", state.pools, (p) => [p.name, p.kind, p.nodes, p.most, p.state, cells(p.cells)]);
  rows("coming", state.coming, (n) => [n.node, n.pool, n.since]);
  rows("waiting", state.waiting, (j) => [j.id, j.gpus, j.waits, j.reason]);
  rows("decisions", state.decisions, (d) => [d.at, d.text]);
  at("count").textContent = `(${state.waitingJobs})`;
  at("summary").hidden = !state.summary;
  at("summary").textContent = state.summary || "";
}

async function poll() {
  try {
    const state = await (await fetch("/state.json")).json();
    if (state.clock) show(state);
    if (state.summary) return;
  } catch {
    at("chapter").textContent = "the demo has ended";
    return;
  }
  setTimeout(poll, EVERY_MS);
}

poll();
