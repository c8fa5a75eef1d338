// Shows a run on a canvas. Plain canvas 2D: a few hundred discs and lines need no library, so there is
// nothing to vendor, licence or load, and the page works offline.
'use strict';

const MARGIN = 20;   // px, around the arena when it fits
const TITLE = 30;    // px, its height above the arena
const TRAIL = 10;    // s
const CROWD = 50;    // robots, above which lines are one pixel wide with plain ends: a third of the time
const TRAIL_POINTS = 3000;  // of all robots together, at most a hundred each
const MOST_LIVE = 12000;  // frames kept of a live run
const REPEAT = 150;  // ms between drive commands while a key is held
const TURN = 1;      // rad/s of a driven robot; it drives one diameter a second
const FAST = 3;      // times as fast with shift
const $ = id => document.getElementById(id);
const canvas = $('arena'), ctx = canvas.getContext('2d');

let run = null;                            // what does not change: world, robots, laser
let times = [], poses = [], winds = [];    // per frame: s, [x y yaw ...], [u v ...]
let obstacles = [];                        // per frame: [x y ...] of those that move
let boxes = [];                            // per frame: [x y yaw ...] of pushable boxes
let scanFrames = [], scans = [];           // per scan: its frame, [range ...]
let outlines = null;
let now = 0, playing = false, atEnd = true, dirty = true, last = null;
let held = false;                          // whether the live simulation is paused
const keys = new Set();                    // arrow keys and buttons that are down
let fast = false, driven = -1;             // with shift; the robot that was told to move last
const view = {x: 0, y: 0, scale: 1};       // world point in the middle (m), px a metre

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint16Array(await new Response(plain).arrayBuffer());
}

// A table holds, channel after channel, differences between frames of whole numbers modulo 65536.
async function unpack(table) {
  const {frames, channels, low, step} = table, deltas = await inflate(table.data);
  const values = new Float32Array(frames * channels);
  for (let c = 0; c < channels; c++) {
    let code = 0;
    for (let k = 0; k < frames; k++) {
      code = (code + deltas[c * frames + k]) & 0xffff;
      values[k * channels + c] = table.holes && code === 0xffff ? NaN
        : low[c % low.length] + code * step[c % step.length];
    }
  }
  return Array.from({length: frames}, (_, k) => values.subarray(k * channels, (k + 1) * channels));
}

function frameAt(t) {                      // the last frame not later than t
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}

function around(t) {                       // its frame, the next one, and how far between them
  const k = frameAt(t), next = Math.min(k + 1, times.length - 1), span = times[next] - times[k];
  return [k, next, span > 0 ? Math.min(1, Math.max(0, (t - times[k]) / span)) : 0];
}

function posesAt(t, table = poses) {       // between frames: straight lines, the shorter turn
  const [k, next, f] = around(t), one = table[k] || [], two = table[next] || one;
  const out = new Float32Array(one.length);
  for (let i = 0; i < one.length; i += 3) {
    const turn = two[i + 2] - one[i + 2];
    out[i] = one[i] + f * (two[i] - one[i]);
    out[i + 1] = one[i + 1] + f * (two[i + 1] - one[i + 1]);
    out[i + 2] = one[i + 2] + f * Math.atan2(Math.sin(turn), Math.cos(turn));
  }
  return out;
}

function obstaclesAt(t) {
  const [k, next, f] = around(t), one = obstacles[k], two = obstacles[next];
  return one && two ? one.map((value, i) => value + f * (two[i] - value)) : [];
}

function size() {                          // of the arena (px): without controls and curves
  const [right, below] = panel();
  return [window.innerWidth - right, window.innerHeight - $('bar').offsetHeight - below];
}

function fit() {
  const [x0, y0, x1, y1] = run.bounds, [width, height] = size();
  view.x = (x0 + x1) / 2;
  view.y = (y0 + y1) / 2;
  view.scale = Math.min((width - 2 * MARGIN) / (x1 - x0), (height - 2 * MARGIN) / (y1 - y0));
  dirty = true;
}

function resize() {
  const [width, height] = size(), ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  if (run) fit();
}

function worldOutlines() {
  const lines = new Path2D(), solids = new Path2D();
  for (const [x0, y0, x1, y1] of run.segments) { lines.moveTo(x0, y0); lines.lineTo(x1, y1); }
  for (const [x, y, r] of run.circles) { solids.moveTo(x + r, y); solids.arc(x, y, r, 0, 7); }
  for (const corners of run.polygons) {
    corners.forEach(([x, y], i) => i ? solids.lineTo(x, y) : solids.moveTo(x, y));
    solids.closePath();
  }
  return {lines, solids};
}

function arrow(x, y, u, v) {               // in the middle of its length at x, y
  const x0 = x - u / 2, y0 = y - v / 2, x1 = x + u / 2, y1 = y + v / 2;
  ctx.moveTo(x0, y0); ctx.lineTo(x1, y1);
  ctx.moveTo(x1 - 0.3 * u - 0.15 * v, y1 - 0.3 * v + 0.15 * u); ctx.lineTo(x1, y1);
  ctx.lineTo(x1 - 0.3 * u + 0.15 * v, y1 - 0.3 * v - 0.15 * u);
}

function draw() {
  const [width, height] = size(), ratio = window.devicePixelRatio || 1;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  if (!run || !times.length) return;
  const k = frameAt(now), pose = posesAt(now), follow = +$('follow').value;
  if (follow >= 0 && pose[3 * follow] === pose[3 * follow]) { view.x = pose[3 * follow]; view.y = pose[3 * follow + 1]; }
  const s = view.scale, px = 1 / s;
  // From here on everything is in metres, y upwards.
  ctx.transform(s, 0, 0, -s, width / 2 - s * view.x, height / 2 + s * view.y);
  ctx.lineCap = crowded() ? 'butt' : 'round';
  ctx.lineJoin = crowded() ? 'bevel' : 'round';
  if (run.cells && run.cells.runs) drawCells();
  drawZones(px);
  if ($('wind').checked) drawFreeWind(px);
  ctx.fillStyle = ctx.strokeStyle = theme.obstacle;
  ctx.lineWidth = 1.5 * px;
  ctx.fill(outlines.solids);
  ctx.stroke(outlines.lines);
  drawObstacles(obstaclesAt(now), px);
  drawBoxes(posesAt(now, boxes), px);
  if ($('trails').checked) drawTrails(k, pose, px);
  if ($('scans').checked) drawScan(follow);
  if ($('wind').checked && winds[k]) drawWind(winds[k], pose, px);
  drawRobots(pose, follow, px);
  drawGoals(px);                           // over the robots that have reached them
  drawZoneNames(width, height);
  if ($('names').checked) drawNames(pose, width, height);
  drawAround(width, height);
}

// The cells of a map, a pixel each, painted once for each ground.
const cells = {canvas: document.createElement('canvas'), of: null, theme: null};

function paintCells() {
  const {columns, rows, runs} = run.cells;   // of each run: the kind in two bits, the length
  cells.canvas.width = columns;
  cells.canvas.height = rows;
  const to = cells.canvas.getContext('2d'), image = to.createImageData(columns, rows);
  const words = new Uint32Array(image.data.buffer), word = colour => {
    const [red, green, blue] = [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  };
  const colours = [0, word(theme.obstacle), word(theme.unknown)];
  for (let k = 0, at = 0; k < runs.length; k++) {
    const colour = colours[runs[k] >> 14], end = at + (runs[k] & 0x3fff);
    if (colour) words.fill(colour, at, end);
    at = end;
  }
  to.putImageData(image, 0, 0);
  Object.assign(cells, {of: run.cells, theme});
}

function drawCells() {
  if (cells.of !== run.cells || cells.theme !== theme) paintCells();
  const {columns, rows, resolution, origin: [x, y, yaw]} = run.cells;
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(yaw);
  ctx.imageSmoothingEnabled = view.scale * resolution < 1;   // else thin walls would be left out
  ctx.drawImage(cells.canvas, 0, 0, columns * resolution, rows * resolution);
  ctx.restore();
}

function drawZones(px) {
  for (const [x, y, r, colour] of run.zones) {
    ctx.beginPath();
    ctx.fillStyle = ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * px;
    if (r === null) {
      const d = 6 * px;
      ctx.moveTo(x + d, y); ctx.lineTo(x, y + d); ctx.lineTo(x - d, y); ctx.lineTo(x, y - d);
      ctx.fill();
      continue;
    }
    ctx.arc(x, y, r, 0, 7);
    ctx.globalAlpha = 0.22;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  }
}

function drawObstacles(centres, px) {   // those that move; colours as in sbot/figures/look.py
  ctx.beginPath();
  run.moving.forEach((r, i) => {
    const x = centres[2 * i], y = centres[2 * i + 1];
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 7);
  });
  ctx.fillStyle = theme.moving;
  ctx.strokeStyle = theme.obstacle;
  ctx.lineWidth = 1.5 * px;
  ctx.fill();
  ctx.stroke();
}

function drawBoxes(pose, px) {
  ctx.beginPath();
  run.boxes.forEach((shape, i) => {
    const x = pose[3 * i], y = pose[3 * i + 1];
    if (Array.isArray(shape)) shapeAt(x, y, pose[3 * i + 2], shape);
    else { ctx.moveTo(x + shape, y); ctx.arc(x, y, shape, 0, 7); }
  });
  ctx.fillStyle = theme.box;
  ctx.strokeStyle = theme.ink;
  ctx.lineWidth = px;
  ctx.fill();
  ctx.stroke();
}

function drawFreeWind(px) {
  ctx.beginPath();
  for (const [x, y, u, v] of run.arrows) arrow(x, y, u, v);
  ctx.strokeStyle = theme.free;
  ctx.lineWidth = 1.2 * px;
  ctx.stroke();
}

function drawTrails(k, pose, px) {
  const first = frameAt(now - TRAIL), n = run.radius.length;
  const step = Math.max(1, Math.floor((k - first) / Math.min(100, Math.max(10, TRAIL_POINTS / n))));
  ctx.lineWidth = wide(px);
  ctx.globalAlpha = 0.45;
  for (const [colour, robots] of byColour()) {
    ctx.beginPath();
    for (const i of robots) {
      ctx.moveTo(poses[first][3 * i], poses[first][3 * i + 1]);
      for (let f = first + step; f <= k; f += step) ctx.lineTo(poses[f][3 * i], poses[f][3 * i + 1]);
      ctx.lineTo(pose[3 * i], pose[3 * i + 1]);
    }
    ctx.strokeStyle = onGround(colour);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

function crowded() { return run.radius.length > CROWD; }

function wide(px) { return crowded() ? px : 1.5 * px; }

function byColour() {                      // robots of each colour, robot 0 last, hence on top
  if (run.groups) return run.groups;
  const groups = new Map();
  for (let i = run.radius.length - 1; i >= 0; i--) {
    if (!groups.has(run.colours[i])) groups.set(run.colours[i], []);
    groups.get(run.colours[i]).push(i);
  }
  run.groups = [...groups];
  return run.groups;
}

// The dots of the lasers on a canvas of their own, drawn anew only if they or the view have changed.
const layer = {canvas: document.createElement('canvas'), key: ''};

function drawScan(follow) {
  let low = 0, high = scanFrames.length - 1;
  if (high < 0) return;
  while (low < high) {                     // the last scan not later than now
    const middle = (low + high + 1) >> 1;
    if (times[scanFrames[middle]] <= now) low = middle; else high = middle - 1;
  }
  if (follow >= 0) { drawOneScan(low, follow); return; }
  const key = [scanFrames[low], times[scanFrames[low]], follow, view.x, view.y, view.scale, theme.scan,
               canvas.width, canvas.height, ...size()].join();
  if (layer.key !== key) { layer.key = key; drawDots(low, follow); }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(layer.canvas, 0, 0);
  ctx.restore();
}

function drawOneScan(j, robot) {           // of the followed robot: the view moves in every frame
  const ratio = window.devicePixelRatio || 1, side = Math.max(2, Math.round(2 * ratio));
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = theme.scan;
  eachDot(j, robot, side, (left, top) => ctx.fillRect(left, top, side, side));
  ctx.restore();
}

function drawDots(j, follow) {             // pixels are set one by one: canvas calls take longer
  const {width, height} = canvas, ratio = window.devicePixelRatio || 1;
  layer.canvas.width = width;
  layer.canvas.height = height;
  const to = layer.canvas.getContext('2d'), image = to.createImageData(width, height);
  const words = new Uint32Array(image.data.buffer), [red, green, blue] =
    [1, 3, 5].map(k => parseInt(theme.scan.slice(k, k + 2), 16));
  const colour = (255 << 24 | blue << 16 | green << 8 | red) >>> 0, side = Math.max(2, Math.round(2 * ratio));
  eachDot(j, follow, side, (left, top) => {
    for (let row = 0; row < side; row++)
      words.fill(colour, (top + row) * width + left, (top + row) * width + left + side);
  });
  to.putImageData(image, 0, 0);
}

function eachDot(j, follow, side, dot) {   // call it with the left and top of each dot on the canvas
  const {width, height} = canvas, ratio = window.devicePixelRatio || 1, [w, h] = size();
  const pose = poses[scanFrames[j]], ranges = scans[j], s = view.scale;
  for (let i = 0; i < run.radius.length; i++) {
    if (follow >= 0 && i !== follow) continue;
    const laser = run.lasers[run.kit[i]], yaw = pose[3 * i + 2], c = Math.cos(yaw), q = Math.sin(yaw);
    const x = pose[3 * i] + c * laser.x - q * laser.y;
    const y = pose[3 * i + 1] + q * laser.x + c * laser.y;
    for (let b = 0; b < laser.beams; b++) {
      const r = ranges[i * run.beams + b];
      if (!(r >= 0)) continue;             // nothing seen
      const a = yaw + laser.yaw + laser.angle_min + b * laser.increment;
      const left = Math.round(ratio * (w / 2 + s * (x + r * Math.cos(a) - view.x)) - side / 2);
      const top = Math.round(ratio * (h / 2 - s * (y + r * Math.sin(a) - view.y)) - side / 2);
      if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
      dot(left, top);
    }
  }
}

function drawGoals(px) {
  const latest = new Map();
  for (const [t, robot, x, y] of run.goals) if (t <= now + 1e-6) latest.set(robot, [x, y]);
  ctx.beginPath();
  const places = new Map([...latest.values()].map(place => [place.join(), place]));   // each once
  for (const [x, y] of places.values()) {
    const r = 8 * px;
    ctx.moveTo(x + r, y); ctx.arc(x, y, r, 0, 7);
    ctx.moveTo(x - r / 2, y); ctx.lineTo(x + r / 2, y);
    ctx.moveTo(x, y - r / 2); ctx.lineTo(x, y + r / 2);
  }
  ctx.strokeStyle = theme.ground;          // a rim: red on a robot's colour is hard to see
  ctx.lineWidth = 3 * px;
  ctx.stroke();
  ctx.strokeStyle = theme.goal;
  ctx.lineWidth = 1.7 * px;
  ctx.stroke();
}

function drawWind(wind, pose, px) {        // where the wind alone would carry it in two seconds
  ctx.beginPath();
  for (let i = 0; i < run.radius.length; i++) {
    const u = 2 * wind[2 * i], v = 2 * wind[2 * i + 1];
    arrow(pose[3 * i] + u / 2, pose[3 * i + 1] + v / 2, u, v);
  }
  ctx.strokeStyle = theme.wind;
  ctx.lineWidth = wide(px);
  ctx.stroke();
}

function shapeAt(x, y, yaw, corners) {
  const c = Math.cos(yaw), q = Math.sin(yaw);
  corners.forEach(([u, v], k) => ctx[k ? 'lineTo' : 'moveTo'](x + c * u - q * v, y + q * u + c * v));
  ctx.closePath();
}

function drawRobots(pose, follow, px) {
  const least = 3 * px, driving = drivable() ? +$('drive').value : -1;
  for (const [colour, robots] of byColour()) {
    ctx.beginPath();
    for (const i of robots) {
      const x = pose[3 * i], y = pose[3 * i + 1], r = Math.max(run.radius[i], least);
      const corners = run.outlines[i];
      if (corners) shapeAt(x, y, pose[3 * i + 2], corners);
      else { ctx.moveTo(x + r, y); ctx.arc(x, y, r, 0, 7); }
    }
    ctx.fillStyle = onGround(colour);
    ctx.fill();
    ctx.beginPath();
    let thin = wide(px);
    for (const i of robots) {
      const x = pose[3 * i], y = pose[3 * i + 1], yaw = pose[3 * i + 2];
      const r = Math.max(run.radius[i], least);
      ctx.moveTo(x, y);
      ctx.lineTo(x + r * Math.cos(yaw), y + r * Math.sin(yaw));
      thin = Math.min(thin, r / 2);
    }
    ctx.strokeStyle = '#111111';
    ctx.lineWidth = thin;
    ctx.stroke();
  }
  for (const i of new Set([follow, driving])) if (i >= 0) {
    ctx.beginPath();
    ctx.arc(pose[3 * i], pose[3 * i + 1], Math.max(run.radius[i], least) + (i === driving ? 6 : 4) * px, 0, 7);
    ctx.strokeStyle = theme.ink;
    ctx.lineWidth = 1.5 * px;
    if (i === driving) ctx.setLineDash([5 * px, 4 * px]);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

// Where the middle of a name's base line is (px), always in the arena: above its zone, below or within it;
// null for a zone outside the arena.
function zoneNamePlace(x, y, r, name, width, height) {
  const left = width / 2 + (x - view.x) * view.scale, middle = height / 2 - (y - view.y) * view.scale;
  const radius = r === null ? 0 : r * view.scale, near = Math.min(Math.max(left, 0), width);
  if (Math.abs(left - near) > radius) return null;
  const half = Math.sqrt(radius * radius - (left - near) ** 2);   // of the zone, there
  if (middle + half < 0 || middle - half > height) return null;
  const gap = r === null ? 8 : 0, above = middle - half - gap - 4, below = middle + half + gap + 14;
  const side = ctx.measureText(name).width / 2 + 4;
  const at = Math.max(side, Math.min(near, width - side));
  if (above > TITLE) return [at, Math.min(above, height - 4)];
  return [at, below <= height - 4 ? Math.max(below, TITLE + 14) : TITLE + 14];
}

const MOST_ZONE_NAMES = 300;               // as in sbot/figures/zones.py

function drawZoneNames(width, height) {
  if (!run.zones.length) return;
  const ratio = window.devicePixelRatio || 1;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = '12px system-ui, sans-serif';
  ctx.textAlign = 'center';
  ctx.lineWidth = 3;
  ctx.strokeStyle = theme.ground;
  ctx.fillStyle = theme.ink;
  for (const [x, y, r, , name] of run.zones.slice(0, MOST_ZONE_NAMES)) {
    const place = zoneNamePlace(x, y, r, name, width, height);
    if (!place) continue;
    ctx.strokeText(name, ...place);
    ctx.fillText(name, ...place);
  }
  ctx.textAlign = 'left';
}

function drawNames(pose, width, height) {
  const ratio = window.devicePixelRatio || 1;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = theme.ink;
  ctx.font = '11px system-ui, sans-serif';
  for (let i = 0; i < run.radius.length; i++) {
    const r = Math.max(run.radius[i] * view.scale, 3);
    ctx.fillText(String(i), width / 2 + (pose[3 * i] - view.x) * view.scale + 0.7 * r + 2,
                 height / 2 - (pose[3 * i + 1] - view.y) * view.scale - 0.7 * r - 2);
  }
}

function show() {
  const end = times.length ? times[times.length - 1] : 0;
  $('slider').max = Math.max(end, 1e-3);
  $('slider').value = now;
  $('clock').textContent = now.toFixed(2) + ' / ' + end.toFixed(2) + ' s';
  $('play').textContent = playing && !held ? 'pause' : 'play';
  document.documentElement.dataset.time = now.toFixed(4);
}

function tick(stamp) {
  const end = times.length ? times[times.length - 1] : 0;
  if (playing && last !== null) {
    if (run && run.live && atEnd) now = end;
    else now += (stamp - last) / 1000 * +$('speed').value;
    if (now >= end) { now = end; if (run && !run.live) playing = false; else atEnd = true; }
    dirty = true;
  }
  last = stamp;
  if (dirty) { dirty = false; draw(); drawCurves(); show(); }
  requestAnimationFrame(tick);
}

function seek(t) {
  now = Math.min(Math.max(t, 0), times.length ? times[times.length - 1] : 0);
  atEnd = times.length > 0 && now === times[times.length - 1];
  dirty = true;
}

function toggle() {
  if (run.live && run.controlled && playing) { ask({pause: !held}); return; }
  playing = !playing;
  if (playing && !run.live && now >= times[times.length - 1]) now = 0;
  dirty = true;
}

let asked = Promise.resolve(), asking = 0; // requests go one after the other: none overtakes another

function ask(request) {                    // the simulation to do something
  asking++;
  asked = asked.then(async () => {
    try {
      const answer = await fetch('command', {
        method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify(request)});
      note(answer.ok ? '' : await answer.text());
    } catch { if (run && run.live) note('the simulation does not answer'); }
    asking--;
  });
}

function step() {
  if (!run.live || !run.controlled) return;
  if (held) ask({step: true}); else note('pause it first');
}

function note(text) { $('note').textContent = text; }

function drive() {                         // the chosen robot as the keys say
  const robot = +$('drive').value, [up, down, left, right] =
    ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].map(key => +keys.has(key));
  const v = (up - down) * 2 * run.radius[robot], turn = (left - right) * TURN, f = fast ? FAST : 1;
  if (driven >= 0 && driven !== robot) ask({drive: [driven, 0, 0]});
  driven = keys.size ? robot : -1;
  ask({drive: [robot, f * v, f * turn]});
}

function drivable() { return run && run.live && run.drivable.length > 0; }

function press(key, shift) {
  if (keys.has(key) && fast === shift) return;
  keys.add(key);
  fast = shift;
  drive();
}

function release(key) { if (keys.delete(key) && drivable()) drive(); }

function releaseAll() {                    // no key is known to be down any more
  if (!keys.size) return;
  keys.clear();
  if (drivable()) drive();
}

setInterval(() => { if (keys.size && !asking && drivable()) drive(); }, REPEAT);

// '#t=12.3&follow=2&scans=1&play=1' opens the page at a time, with a robot in the middle, ...
function readFragment() {
  const wanted = new URLSearchParams(window.location.hash.slice(1));
  for (const id of ['scans', 'wind', 'trails', 'names'])
    if (wanted.has(id)) $(id).checked = wanted.get(id) !== '0';
  if (THEMES[wanted.get('theme')]) setTheme(wanted.get('theme'));
  if (wanted.has('curve')) { $('curve').value = wanted.get('curve'); resize(); }
  for (const id of ['speed', 'follow']) if (wanted.has(id)) $(id).value = wanted.get(id);
  if (wanted.has('t')) seek(+wanted.get('t') || 0);
  if (wanted.has('play')) playing = wanted.get('play') !== '0';
  dirty = true;
}

function start(header) {
  run = header;
  outlines = worldOutlines();
  times = []; poses = []; winds = []; obstacles = []; boxes = []; scans = []; scanFrames = [];
  const follow = $('follow');
  follow.length = 1;
  run.radius.forEach((_, i) => follow.add(new Option('robot ' + i, i)));
  $('driving').hidden = $('arrows').hidden = !drivable();
  $('step').hidden = !(run.live && run.controlled);
  const chosen = $('drive').value, names = (run.drivable || []).map(String);
  $('drive').length = 0;
  for (const i of names) $('drive').add(new Option('robot ' + i, i));
  if (names.includes(chosen)) $('drive').value = chosen;
  $('bar').inert = false;
  document.title = run.name;
  note('');
  resize();
}

async function readCells(header) {         // a live page goes on meanwhile
  if (!header.cells) return;
  header.cells.runs = await inflate(header.cells.data);
  dirty = true;
}

async function openRecording(header) {
  await readCells(header);
  const tables = await Promise.all(
    [header.poses, header.winds, header.obstacles, header.box_poses, header.scans].map(
      table => table ? unpack(table) : []));
  start(header);
  [poses, winds, obstacles, boxes, scans] = tables;
  times = header.times;
  scanFrames = header.scan_frames || [];
  readFragment();
  document.documentElement.dataset.ready = '1';
}

function listen() {
  const events = new EventSource('events');
  playing = true;
  note('waiting for a simulation …');
  events.addEventListener('run', event => {
    const header = JSON.parse(event.data);
    start(header);
    readCells(header);
    readFragment();
  });
  events.addEventListener('paused', event => { held = JSON.parse(event.data); dirty = true; });
  events.addEventListener('end', () => {   // what was seen can still be played
    events.close();
    if (!run) return;
    run.live = playing = held = false;
    $('driving').hidden = $('arrows').hidden = $('step').hidden = true;
    keys.clear();
    note('the simulation has ended');
    resize();                              // there are fewer controls
  });
  events.addEventListener('frame', event => {
    const frame = JSON.parse(event.data);
    if (!run) return;
    if (times.length && frame.t < times[times.length - 1]) start(run);   // it was reset
    if (times.length > MOST_LIVE) {
      const old = MOST_LIVE / 4;
      times.splice(0, old); poses.splice(0, old); winds.splice(0, old);
      obstacles.splice(0, old); boxes.splice(0, old);
      while (scanFrames.length && scanFrames[0] < old) { scanFrames.shift(); scans.shift(); }
      scanFrames = scanFrames.map(k => k - old);
    }
    times.push(frame.t);
    poses.push(Float32Array.from(frame.poses, value => value === null ? NaN : value));   // not there
    winds.push(Float32Array.from(frame.winds));
    if (frame.obstacles) obstacles.push(Float32Array.from(frame.obstacles));
    if (frame.box_poses) boxes.push(Float32Array.from(frame.box_poses));
    if (frame.scans) {
      scans.push(Float32Array.from(frame.scans, r => r === null ? NaN : r));
      scanFrames.push(times.length - 1);
    }
    if (frame.goals) run.goals = frame.goals;
    dirty = true;
    document.documentElement.dataset.ready = '1';
  });
}

$('play').onclick = toggle;
$('step').onclick = step;
$('fit').onclick = () => { $('follow').value = -1; fit(); };
$('slider').oninput = () => seek(+$('slider').value);
for (const id of ['speed', 'follow', 'scans', 'wind', 'trails', 'names'])
  $(id).onchange = () => { dirty = true; };
window.onresize = resize;
window.onhashchange = readFragment;
// Keys go to the run, not to what was clicked last.
let pointed = false;                       // whether the last input was a pointer's
window.addEventListener('pointerdown', () => { pointed = true; }, true);
window.addEventListener('keydown', () => { pointed = false; }, true);
document.onchange = document.onclick = event => {
  // Who works with the keyboard stays where they are.
  if (pointed && ['SELECT', 'BUTTON', 'INPUT'].includes(event.target.tagName)
      && (event.type === 'change' || event.target.tagName !== 'SELECT')) event.target.blur();
};
window.onkeydown = event => {
  const on = event.target.tagName, own = {SELECT: / |Arrow|^[a-z0-9]$/i, BUTTON: / |Enter/, INPUT: / /};
  if (!run || event.ctrlKey || event.altKey || event.metaKey
      || own[on] && event.target.type !== 'range' && own[on].test(event.key)
      || event.target.id === 'help' && event.key.startsWith('Arrow')) return;
  if (event.key === ' ') { if (!event.repeat) toggle(); }
  else if (event.key === '.') step();
  else if (event.key.startsWith('Arrow') && drivable()) press(event.key, event.shiftKey);
  else if (event.key.startsWith('Arrow') && event.shiftKey) {
    const by = 50 / view.scale;
    $('follow').value = -1;
    view.x += by * ((event.key === 'ArrowRight') - (event.key === 'ArrowLeft'));
    view.y += by * ((event.key === 'ArrowUp') - (event.key === 'ArrowDown'));
    dirty = true;
  } else if (event.key === 'ArrowRight') seek(now + 1);
  else if (event.key === 'ArrowLeft') seek(now - 1);
  else if (event.key === '+' || event.key === '=') zoom(1.25);
  else if (event.key === '-') zoom(0.8);
  else if (event.key === 'f') $('fit').click();
  else if (event.key === 'd') $('dark').click();
  else if (event.key === 'c') nextCurve();
  else if (event.key === 'l') link();
  else if (event.key === 'n' || event.key === 'N') followNext(event.shiftKey ? -1 : 1);
  else if (event.key === '?') showHelp($('help').hidden);
  else if (event.key === 'Escape') showHelp(false);
  else return;
  event.preventDefault();
};
window.onkeyup = event => release(event.key);
window.onblur = releaseAll;
for (const button of $('arrows').children) {
  button.onpointerdown = event => {
    button.setPointerCapture(event.pointerId);
    press(button.value, event.shiftKey);
  };
  button.onlostpointercapture = () => release(button.value);
  button.oncontextmenu = () => false;      // which a long touch opens
}
function zoom(factor, x = null, y = null) {  // about a point of the window (px), or the middle
  const [width, height] = size();
  const dx = x === null ? 0 : (x - width / 2) / view.scale, dy = y === null ? 0 : (height / 2 - y) / view.scale;
  view.x += dx * (1 - 1 / factor);
  view.y += dy * (1 - 1 / factor);
  view.scale *= factor;
  dirty = true;
}
canvas.onwheel = event => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 500), event.clientX, event.clientY);
};
let pressed = null;                        // where the pointer went down
const fingers = new Map();                 // where pointers are that are down
canvas.onpointerdown = event => {
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  pressed = fingers.size === 1 ? [event.clientX, event.clientY] : null;
};
window.addEventListener('pointerup', event => fingers.delete(event.pointerId));
window.addEventListener('pointercancel', event => fingers.delete(event.pointerId));
canvas.onpointerup = event => {            // a click on a robot follows it
  if (!run || !times.length || !pressed
      || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
  const [width, height] = size(), pose = posesAt(now), s = view.scale;
  const x = view.x + (event.clientX - width / 2) / s, y = view.y + (height / 2 - event.clientY) / s;
  for (let i = 0; i < run.radius.length; i++)
    if (Math.hypot(pose[3 * i] - x, pose[3 * i + 1] - y) < Math.max(run.radius[i], 8 / s)) {
      $('follow').value = i;
      dirty = true;
      return;
    }
};
canvas.onpointermove = event => {
  const before = fingers.get(event.pointerId), here = [event.clientX, event.clientY];
  if (!before || !(event.buttons & 1) || before[0] === here[0] && before[1] === here[1]) return;
  fingers.set(event.pointerId, here);
  if (fingers.size > 1) {                  // two fingers: as far as their distance changes
    const [, other] = [...fingers].find(([id]) => id !== event.pointerId);
    const far = at => Math.max(10, Math.hypot(at[0] - other[0], at[1] - other[1]));
    zoom(far(here) / far(before), other[0], other[1]);
    return;
  }
  $('follow').value = -1;
  view.x -= (here[0] - before[0]) / view.scale;
  view.y += (here[1] - before[1]) / view.scale;
  dirty = true;
};
