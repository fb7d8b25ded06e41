// One sandbox's timeline: rows are fetched in pages and drawn as they scroll into view.
import {button, h, notice, show, time} from './dom.js';
import {attempt, get, listen, post, segment} from './api.js';

const ROW_HEIGHT = 28;
const PAGE = 2000;
const LAYERS = ['exec', 'net', 'dns', 'mcp', 'model', 'tool', 'grant', 'fs', 'security', 'audit'];
/** Kinds of live events: something is new in the record. */
const LIVE = ['dns', 'http', 'mcp', 'model', 'file', 'process', 'credential', 'vm', 'snapshot', 'lost'];
const SQL_TABLE = /^[a-z_]+:\d+$/;

export function session(main, id) {
  const rows = [];
  const seen = new Set();
  const filter = {text: '', layers: new Set(LAYERS.filter(layer => layer !== 'security' && layer !== 'audit')), refused: false};
  const detail = h('aside', {class: 'detail', 'aria-label': 'Detail', 'aria-live': 'polite'});
  const list = virtualList(row => line(row, () => showDetail(detail, id, row)));
  const count = h('span', {class: 'muted', role: 'status'});
  const draw = () => {
    const text = filter.text.toLowerCase();
    const shown = rows.filter(row => filter.layers.has(row.layer)
      && (!filter.refused || isRefused(row))
      && (text === '' || `${row.summary} ${row.status} ${row.trace}`.toLowerCase().includes(text)));
    list.set(shown);
    show(count, `${shown.length} of ${rows.length} events`);
  };
  show(main,
    h('h1', {}, id, ' ', h('a', {class: 'small', href: `#/changes/${segment(id)}`}, 'changes'), ' ',
      h('a', {class: 'small', href: `#/tools/${segment(id)}`}, 'tools')),
    filters(filter, draw), count,
    h('div', {class: 'split'}, list.element, detail));
  let isOpen = true;
  let running = Promise.resolve();
  // A page holds the newest rows of a stretch of time; pages before it follow until the stretch is whole.
  const more = () => {
    running = running.then(async () => {
      const since = rows.length > 0 ? rows[rows.length - 1].at : '';
      const begin = rows.length;
      for (let until = ''; isOpen;) {
        const page = await get(`/timeline/${segment(id)}?layers=${LAYERS.join(',')}&limit=${PAGE}`
          + (since ? `&since=${segment(since)}` : '') + (until ? `&until=${segment(until)}` : ''));
        const fresh = page.rows.map(toRow).filter(row => !seen.has(row.ref));
        fresh.forEach(row => seen.add(row.ref));
        rows.splice(begin, 0, ...fresh);
        if (fresh.length > 0) draw();
        if (page.rows.length < PAGE || fresh.length === 0) return;
        until = page.rows[0][0];
      }
    }).catch(e => { if (isOpen && e.status === 404) notice(`${id}: ${e.message}`, true); });
    return running;
  };
  more();
  // A stopped sandbox has no live events; what was recorded is all there is.
  let waiting = 0;
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(more, 100); };
  const stop = listen(`/events?sandbox=${segment(id)}`, Object.fromEntries(LIVE.map(kind => [kind, soon])));
  const clock = setInterval(() => { if (!document.hidden) more(); }, 2000);
  return () => { isOpen = false; stop(); clearTimeout(waiting); clearInterval(clock); };
}

function toRow([at, layer, ref, summary, status, duration, trace]) {
  return {at, layer, ref, summary, status: status ?? '', duration, trace: trace ?? ''};
}

function isRefused(row) {
  return /denied|block|ask|refused|error/.test(row.status);
}

function filters(filter, draw) {
  return h('p', {class: 'fields'},
    h('input', {type: 'search', placeholder: 'Filter', 'aria-label': 'Filter by text', oninput: event => { filter.text = event.target.value; draw(); }}),
    LAYERS.map(layer => h('label', {}, h('input', {
      type: 'checkbox', checked: filter.layers.has(layer),
      onchange: event => { filter.layers[event.target.checked ? 'add' : 'delete'](layer); draw(); },
    }), ' ', layer)),
    h('label', {}, h('input', {type: 'checkbox', onchange: event => { filter.refused = event.target.checked; draw(); }}), ' only refused or asked'));
}

function line(row, open) {
  const element = h('button', {type: 'button', class: `row ${row.layer}${isRefused(row) ? ' refused' : ''}`, onclick: open},
    time(row.at), h('span', {class: 'layer'}, row.layer), h('span', {class: 'summary'}, row.summary),
    h('span', {class: 'status'}, row.status), h('span', {class: 'took'}, row.duration === null ? '' : `${row.duration} ms`));
  element.style.height = `${ROW_HEIGHT}px`;
  return element;
}

/** Only the rows that can be seen are in the document, so a session of 100 000 events scrolls like one of ten. */
function virtualList(draw) {
  const filler = h('div', {class: 'filler'});
  const view = h('div', {class: 'window'});
  const element = h('div', {class: 'timeline', tabindex: '0', 'aria-label': 'Timeline', onscroll: () => redraw()}, filler, view);
  let items = [];
  let drawn = '';
  function redraw(isForced = false) {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - 5);
    const last = Math.min(items.length, first + Math.ceil((element.clientHeight || 600) / ROW_HEIGHT) + 10);
    const key = `${first}:${last}`;
    if (!isForced && key === drawn) return;
    drawn = key;
    view.style.top = `${first * ROW_HEIGHT}px`;
    view.replaceChildren(...items.slice(first, last).map(draw));
  }
  return {element, set(next) {
    const isAtEnd = element.scrollTop + element.clientHeight >= items.length * ROW_HEIGHT - ROW_HEIGHT * 2;
    items = next;
    filler.style.height = `${items.length * ROW_HEIGHT}px`;
    if (isAtEnd) element.scrollTop = items.length * ROW_HEIGHT;
    redraw(true);
  }};
}

async function showDetail(place, id, row) {
  show(place, h('h2', {}, row.summary), h('p', {class: 'muted'}, row.at, ' ', row.ref));
  if (!SQL_TABLE.test(row.ref)) return;
  const [name, number] = row.ref.split(':');
  const found = await attempt(() => post(`/inspect/${segment(id)}`, {sql: `SELECT * FROM ${name} WHERE id = ${Number(number)}`}));
  if (!found || found.rows.length === 0) return;
  const fields = found.columns.map((column, i) => [column, found.rows[0][i]]).filter(([, value]) => value !== null && value !== '');
  const event = fields.find(([column]) => column === 'event_id')?.[1];
  const reasons = h('div');
  place.append(...[event ? button('Why?', () => why(reasons, id, event), {id: 'why'}) : '', reasons,
    h('dl', {}, fields.map(([column, value]) => [h('dt', {}, column), h('dd', {}, h('pre', {}, value))]))]);
}

async function why(place, id, event) {
  const told = await attempt(() => post('/rules/explain', {sandbox: id, event_id: event}));
  if (!told) return;
  const section = h('section', {id: 'explained'},
    h('h3', {}, `${told.decision}: ${told.rule ?? 'no rule'}`),
    told.reason ? h('p', {}, told.reason) : null,
    told.file ? h('p', {class: 'muted'}, `${told.file}:${told.line}`) : null,
    h('ul', {}, (told.considered ?? []).filter(one => one.match === 'almost' || one.match === 'matched').slice(0, 8)
      .map(one => h('li', {}, h('code', {}, one.rule), ` (${one.decision}) `, one.why))),
    told.not_yours ? h('p', {}, told.not_yours) : null);
  if (told.suggestion) {
    section.append(h('h3', {}, 'This rule would allow it'), h('pre', {id: 'suggestion'}, told.suggestion.toml),
      h('p', {class: 'muted'}, told.suggestion.note ?? ''),
      button('Allow this', async () => {
        if (await attempt(() => post('/rules', {text: told.suggestion.toml}))) notice('the rule is in force; try again');
      }, {id: 'allow'}));
  }
  show(place, section);
}
