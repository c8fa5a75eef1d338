// What stands around the arena: colours of both grounds, name, axes, scale bar, legend, curves, help.
'use strict';

const THEMES = {
  light: {ground: '#ffffff', ink: '#222222', soft: '#777777', obstacle: '#5a5f66', moving: '#b9c0ca', unknown: '#e4e4e4', box: '#b08d63',
          scan: '#d0342c', goal: '#c8202f', free: '#c4dbec', wind: '#3c82b8', line: '#dddddd', robots: {}},
  dark: {ground: '#1b1e24', ink: '#e6e6e6', soft: '#9aa0aa', obstacle: '#8b929c', moving: '#4d5463', unknown: '#343842', box: '#b08d63',
         scan: '#ff6e60', goal: '#ff6b76', free: '#35506a', wind: '#86b9e0', line: '#3a3f4a',
         // Brighter colours of robots, as in sbot/figures/look.py.
         robots: {'#0072b2': '#3d9be0', '#009e73': '#1fbf92', '#cc79a7': '#e08fbd', '#56b4e9': '#8fd0f5',
                  '#d55e00': '#f07a32', '#6a3d9a': '#a583d9', '#7f7f7f': '#a6a6a6'}}};
let theme = THEMES.light;

const HELP = [
  ['space', 'play or pause'], ['← →', 'a second back or forth; of a live run: drive'],
  ['↑ ↓, shift', 'drive the robot that “drive” names; with shift three times as fast; buttons do the same'],
  ['.', 'one tick of a paused live run'], ['f', 'fit the arena'], ['d', 'dark or light'],
  ['c', 'next curve'], ['n', 'follow the next robot; shift: the one before'],
  ['l', 'put this moment and robot into the address, as a link'], ['?', 'this help'],
  ['+ −', 'zoom'], ['shift and arrows', 'move the view of a recording'],
  ['wheel, drag; two fingers', 'zoom, move; a click on a robot follows it'],
  ['light blue arrows', 'the mean wind, without gusts and wakes; the longest is the strongest'],
  ['blue arrow at a robot', 'where the wind that it feels would carry it in two seconds'],
  ['red cross in a ring', 'a goal'], ['coloured disc with a name', 'a zone, which has no effect'], ['red dots', 'what the lasers hit'],
  ['grey', 'walls and obstacles'], ['faint grey disc with a rim', 'an obstacle that moves'],
  ['brown', 'a box that robots can push'],
  ['dashed ring', 'the robot that you drive']];

// Quantities of a robot: unit, and value of robot i at frame k.
const QUANTITIES = {
  'speed': ['m/s', (k, i) => change(k, i, (a, b) => Math.hypot(b[3 * i] - a[3 * i], b[3 * i + 1] - a[3 * i + 1]))],
  'turn rate': ['rad/s', (k, i) => change(k, i, (a, b) => {
    const turn = b[3 * i + 2] - a[3 * i + 2];
    return Math.atan2(Math.sin(turn), Math.cos(turn));
  })],
  'x': ['m', (k, i) => poses[k][3 * i]],
  'y': ['m', (k, i) => poses[k][3 * i + 1]],
  'heading': ['rad', (k, i) => poses[k][3 * i + 2]],
  'wind': ['m/s', (k, i) => winds[k] ? Math.hypot(winds[k][2 * i], winds[k][2 * i + 1]) : 0],
  'distance to robot 0': ['m', (k, i) => Math.hypot(poses[k][3 * i] - poses[k][0], poses[k][3 * i + 1] - poses[k][1])],
  'distance to its goal': ['m', (k, i) => {
    let at = null;
    for (const [t, robot, x, y] of run.goals) if (robot === i && t <= times[k] + 1e-6) at = [x, y];
    return at ? Math.hypot(poses[k][3 * i] - at[0], poses[k][3 * i + 1] - at[1]) : NaN;
  }]};
const RATE_WINDOW = 0.5;                   // s
const MOST_CURVES = 8, POINTS = 500;       // of a plot: robots, and points of each
// Of curves whose robots have one colour together, as in sbot/figures/arena.py.
const CURVES = ['#e69f00', '#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#6a3d9a', '#7f7f7f'];

function curveColours(robots) {            // those of the robots, if no two are the same
  const own = robots.map(i => run.colours[i]);
  return (new Set(own).size === own.length ? own : CURVES).map(onGround);
}

function onGround(colour) { return theme.robots[colour] || colour; }   // of a robot, in this theme

function change(k, i, of) {                // a rate in the half second around frame k, as in pictures
  const from = times[k] - RATE_WINDOW / 2 - 1e-6, b = Math.max(
    Math.min(times.length - 1, k + 1), frameAt(times[k] + RATE_WINDOW / 2 + 1e-6));
  let a = frameAt(from), sum = 0;
  if (times[a] < from) a++;
  a = Math.min(a, Math.max(0, k - 1));
  for (let f = a; f < b; f++) sum += of(poses[f], poses[f + 1]);
  return times[b] > times[a] ? sum / (times[b] - times[a]) : 0;
}

function setTheme(name) {
  theme = THEMES[name];
  document.documentElement.dataset.theme = name;
  dirty = true;
}

function panel() {                         // width at the right, or height below, of the curves
  if (!$('curve').value) return [0, 0];
  return window.innerWidth >= 700 ? [Math.min(360, Math.round(window.innerWidth * 0.35)), 0] : [0, 150];
}

function niceStep(least) {                 // 1, 2 or 5 times a power of ten, not below this
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find(f => f * power >= least) * power;
}

function drawAround(width, height) {
  const ratio = window.devicePixelRatio || 1, s = view.scale;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = '10px system-ui, sans-serif';
  ctx.fillStyle = ctx.strokeStyle = theme.soft;
  ctx.lineWidth = 1;
  const step = niceStep(60 / s), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  ctx.beginPath();
  ctx.textAlign = 'center';
  for (let x = Math.ceil((view.x - width / 2 / s) / step) * step; x < view.x + width / 2 / s; x += step) {
    const at = width / 2 + (x - view.x) * s;
    if (at < 64 || at > width - 120) continue;
    ctx.moveTo(at, height); ctx.lineTo(at, height - 4);
    ctx.fillText(x.toFixed(digits), at, height - 6);
  }
  ctx.textAlign = 'left';
  for (let y = Math.ceil((view.y - height / 2 / s) / step) * step; y < view.y + height / 2 / s; y += step) {
    const at = height / 2 - (y - view.y) * s;
    if (at < 24 || at > height - 20) continue;
    ctx.moveTo(0, at); ctx.lineTo(3, at);
    ctx.strokeStyle = theme.ground;        // a wall may be behind it
    ctx.lineWidth = 3;
    ctx.strokeText(y.toFixed(digits), 7, at + 3);
    ctx.fillText(y.toFixed(digits), 7, at + 3);
  }
  ctx.strokeStyle = theme.soft;
  ctx.lineWidth = 1;
  const bar = niceStep(50 / s), long = bar * s;
  ctx.moveTo(width - 8 - long, height - 8); ctx.lineTo(width - 8, height - 8);
  ctx.moveTo(width - 8 - long, height - 11); ctx.lineTo(width - 8 - long, height - 5);
  ctx.moveTo(width - 8, height - 11); ctx.lineTo(width - 8, height - 5);
  ctx.stroke();
  ctx.textAlign = 'right';
  ctx.fillText(+bar.toPrecision(1) + ' m', width - 8, height - 14);
  ctx.textAlign = 'left';
  ctx.fillText('x, y (m)', 5, height - 6);
  ctx.fillStyle = theme.ink;
  ctx.font = '12px system-ui, sans-serif';
  ctx.strokeStyle = theme.ground;
  ctx.lineWidth = 3;
  ctx.strokeText(run.name, 8, 14);
  ctx.fillText(run.name, 8, 14);
  const named = 8 + ctx.measureText(run.name).width;
  if ($('wind').checked && width - named > 330 && run.arrows.length) drawLegend(width);
}

function drawLegend(width) {
  ctx.font = '10px system-ui, sans-serif';
  let x = width - 8;
  ctx.textAlign = 'right';
  for (const [text, colour] of [['drift of a robot in 2 s', theme.wind], ['wind', theme.free]]) {
    ctx.fillStyle = theme.soft;
    ctx.fillText(text, x, 14);
    x -= ctx.measureText(text).width + 26;
    ctx.beginPath();
    arrow(x + 12, 10, 18, 0);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.stroke();
    x -= 8;
  }
  ctx.textAlign = 'left';
}

let cached = {key: ''};                    // the curves that are shown

function curves() {
  const follow = +$('follow').value, name = $('curve').value;
  const key = [name, follow, times.length, times[0], run.radius.length].join();
  if (cached.key === key) return cached;
  const of = QUANTITIES[name][1], step = Math.max(1, Math.ceil(times.length / POINTS));
  const robots = follow >= 0 ? [follow] : run.radius.map((_, i) => i).slice(0, MOST_CURVES);
  const frames = [];
  for (let k = 0; k < times.length; k += step) frames.push(k);
  let low = Infinity, high = -Infinity;
  const rows = robots.map(i => frames.map(k => {
    const value = of(k, i);
    if (value < low) low = value;
    if (value > high) high = value;
    return value;
  }));
  if (!(low < high)) { low = (isFinite(low) ? low : 0) - 0.5; high = low + 1; }
  if (low > 0 && low < 0.5 * high) low = 0;
  cached = {key, robots, frames, rows, low, high};
  return cached;
}

function drawCurves() {
  const [right, below] = panel(), canvas = $('curves');
  canvas.hidden = !(right || below) || !run;
  if (canvas.hidden || !times.length) return;
  const [areaWidth, areaHeight] = size(), ratio = window.devicePixelRatio || 1;
  const width = right || areaWidth, height = right ? areaHeight : below, to = canvas.getContext('2d');
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    Object.assign(canvas.style, {width: width + 'px', height: height + 'px',
                                 left: (right ? areaWidth : 0) + 'px', top: (right ? 0 : areaHeight) + 'px'});
  }
  const shown = curves(), {robots, low, high} = shown, name = $('curve').value;
  const box = {x: 44, y: 26, w: width - 64, h: Math.min(height - 50, 320)}, end = times[times.length - 1] || 1;
  const X = t => box.x + box.w * (t - times[0]) / Math.max(end - times[0], 1e-9);
  const Y = v => box.y + box.h * (high - v) / (high - low);
  // All but the cursor and the values stays: it is painted once.
  const key = [shown.key, canvas.width, canvas.height, ratio, theme.ground].join();
  if (plot.key !== key) {
    plot.key = key;
    plot.canvas.width = canvas.width;
    plot.canvas.height = canvas.height;
    drawPlot(plot.canvas.getContext('2d'), shown, box, X, Y, [width, height, ratio]);
  }
  to.setTransform(1, 0, 0, 1, 0, 0);
  to.drawImage(plot.canvas, 0, 0);
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.beginPath();
  to.moveTo(X(now), box.y); to.lineTo(X(now), box.y + box.h);
  to.strokeStyle = theme.ink;
  to.lineWidth = 1;
  to.stroke();
  canvas.onpointerdown = canvas.onpointermove = event => {
    if (event.buttons & 1) seek(times[0] + (event.offsetX - box.x) / box.w * (end - times[0]));
  };
  if (!right) return;
  to.font = '11px system-ui, sans-serif';
  let y = box.y + box.h + 34;
  const colours = curveColours(robots);
  for (const [j, i] of robots.entries()) {
    const value = QUANTITIES[name][1](frameAt(now), i);
    to.fillStyle = colours[j];
    to.fillRect(box.x, y - 8, 10, 8);
    to.fillStyle = theme.ink;
    to.fillText('robot ' + i + ': ' + (isFinite(value) ? value.toFixed(3) : '–'), box.x + 16, y);
    y += 15;
  }
  if (robots.length < run.radius.length && +$('follow').value < 0)
    to.fillText('follow a robot to see its own', box.x, y);
}

const plot = {canvas: document.createElement('canvas'), key: ''};

function drawPlot(to, {robots, frames, rows, low, high}, box, X, Y, [width, height, ratio]) {
  const name = $('curve').value, end = times[times.length - 1] || 1;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.fillStyle = theme.ground;
  to.fillRect(0, 0, width, height);
  to.font = '11px system-ui, sans-serif';
  to.fillStyle = theme.ink;
  to.fillText(name + ' (' + QUANTITIES[name][0] + ')', box.x, 16);
  to.strokeStyle = theme.line;
  to.fillStyle = theme.soft;
  to.beginPath();
  const up = niceStep((high - low) / 5), digits = Math.max(0, -Math.floor(Math.log10(up) + 1e-9));
  to.textAlign = 'right';
  for (let v = Math.ceil(low / up) * up; v <= high + 1e-9; v += up) {
    to.moveTo(box.x, Y(v)); to.lineTo(box.x + box.w, Y(v));
    to.fillText(v.toFixed(digits), box.x - 4, Y(v) + 4);
  }
  to.textAlign = 'center';
  const along = niceStep(Math.max(end - times[0], 1e-3) / 5);
  for (let t = Math.ceil(times[0] / along) * along; t <= end; t += along)
    to.fillText(+t.toFixed(3) + ' s', X(t), box.y + box.h + 14);
  to.textAlign = 'left';
  to.stroke();
  const colours = curveColours(robots);
  robots.forEach((_, j) => {
    to.beginPath();
    frames.forEach((k, n) => { if (isFinite(rows[j][n])) to.lineTo(X(times[k]), Y(rows[j][n])); });
    to.strokeStyle = colours[j];
    to.lineWidth = 1.3;
    to.stroke();
  });
}

function showHelp(shown) {
  const help = $('help'), table = help.firstElementChild;
  if (!table.rows.length) for (const [key, text] of HELP) {
    const row = table.insertRow();
    row.insertCell().textContent = key;
    row.insertCell().textContent = text;
  }
  help.hidden = !shown;
  if (shown) help.focus();                 // so that arrow keys and Page Down scroll it
}

function link() {                          // this moment and robot, in the address
  const parts = new URLSearchParams(window.location.hash.slice(1));
  parts.set('t', now.toFixed(2));
  for (const id of ['follow', 'curve']) parts.set(id, $(id).value);
  for (const id of ['scans', 'wind', 'trails', 'names']) parts.set(id, +$(id).checked);
  parts.delete('play');
  try { window.history.replaceState(null, '', '#' + parts); } catch { window.location.hash = parts; }
  if (navigator.clipboard) navigator.clipboard.writeText(window.location.href).catch(() => {});
  note('the address leads to this moment');
  setTimeout(() => note(''), 2000);
}

function followNext(by) {
  const follow = $('follow'), n = run.radius.length;
  follow.value = (+follow.value + 1 + by + n + 1) % (n + 1) - 1;
  dirty = true;
}

function nextCurve() {
  $('curve').selectedIndex = ($('curve').selectedIndex + 1) % $('curve').length;
  resize();
}

for (const name of Object.keys(QUANTITIES)) $('curve').add(new Option(name, name));
setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
$('curve').onchange = () => resize();
$('ask').onclick = () => showHelp($('help').hidden);
$('link').onclick = link;
$('dark').onclick = () => setTheme(theme === THEMES.dark ? 'light' : 'dark');
