// All sandboxes, as the command line lists them, and what can be done with them.
import {button, h, notice, show, table, cells, dollars} from './dom.js';
import {attempt, get, post, remove, segment} from './api.js';

const EVERY = 3000;

export function sandboxes(main) {
  const list = h('div');
  show(main, h('h1', {}, 'Sandboxes'), list, form());
  let isOpen = true;
  const draw = async () => {
    const [all, cost] = await Promise.all([get('/list'), get('/cost?by=sandbox')]).catch(() => [null, null]);
    if (isOpen && all) drawList(list, all.sandboxes, new Map(cost.rows.map(row => [row.key, row])), draw);
  };
  const clock = setInterval(() => { if (!document.hidden) draw(); }, EVERY);
  draw();
  return () => { isOpen = false; clearInterval(clock); };
}

function drawList(place, all, costs, again) {
  const focused = document.activeElement?.id;
  show(place, table(['Name', 'State', 'Profile', 'Project', 'Command', 'Changes', 'Spent', ''], all.map(one => h('tr', {},
    cells(
      h('a', {href: `#/session/${segment(one.id)}`}, one.name ?? one.id),
      h('span', {class: `state ${one.status.toLowerCase()}`}, one.status),
      one.profile_id, one.project ?? '', one.last_command ?? '',
      one.project ? h('a', {href: `#/changes/${segment(one.id)}`}, one.changes ?? 'see') : '',
      dollars(costs.has(one.id) ? costs.get(one.id).known_cost_usd : 0),
      acts(one, again)))), 'There is no sandbox. Make one below, or type capsem run -- id.'));
  if (focused) document.getElementById(focused)?.focus();
}

function acts(one, again) {
  const id = segment(one.id);
  const act = (label, does, properties = {}) => button(label, async () => {
    if (await attempt(does) !== undefined) { notice(`${one.id}: ${label.toLowerCase()} done`); again(); }
  }, {id: `${label}-${one.id}`, ...properties});
  const isRunning = one.status === 'Running';
  return [
    isRunning ? act('Stop', () => post(`/stop/${id}`)) : null,
    isRunning && one.persistent ? act('Suspend', () => post(`/suspend/${id}`)) : null,
    !isRunning && one.persistent ? act('Resume', () => post(`/resume/${id}`)) : null,
    button('Fork', async () => {
      const name = prompt(`Name of the copy of ${one.id}`, `${one.id}-2`);
      if (name && await attempt(() => post(`/fork/${id}`, {name}))) again();
    }, {id: `Fork-${one.id}`}),
    button('Delete', async () => {
      if (confirm(`Delete ${one.id} and everything in it? Its record goes, too.`)
          && await attempt(() => remove(`/delete/${id}`))) again();
    }, {class: 'deny', id: `Delete-${one.id}`}),
    h('a', {href: `#/tools/${id}`}, 'Tools'),
  ];
}

function form() {
  const name = h('input', {name: 'name', placeholder: 'made up if empty', 'aria-label': 'Name'});
  const project = h('input', {name: 'project', placeholder: '/path/of/your/project', 'aria-label': 'Project'});
  const budget = h('input', {name: 'budget', placeholder: '5usd', 'aria-label': 'Budget'});
  return h('form', {onsubmit: async event => {
    event.preventDefault();
    const body = {persistent: name.value !== ''};
    if (name.value) body.name = name.value;
    if (project.value) body.project = {source: project.value};
    if (budget.value) body.budget = budget.value;
    const made = await attempt(() => post('/provision', body));
    if (made) location.hash = `#/session/${segment(made.id)}`;
  }}, h('h2', {}, 'New sandbox'), h('p', {class: 'fields'}, name, project, budget, h('button', {}, 'Create')));
}
