// The effective rules, a draft that is checked as it is typed, and what it would change in a recorded session.
import {button, cells, h, notice, show, table} from './dom.js';
import {attempt, get, post, remove, segment} from './api.js';

const DRAFT = '[security.rules.http.my_rule]\non = "http.request"\nif = \'http.request.host == "docs.example.com"\'\ndecision = "allow"\npriority = 10\n';

export function rules(main) {
  const list = h('div');
  const found = h('div', {role: 'status', id: 'problems'});
  const draft = h('textarea', {rows: '8', spellcheck: 'false', 'aria-label': 'Draft of a rule'});
  draft.value = DRAFT;
  let waiting = 0;
  const check = async () => {
    const told = await attempt(() => post('/rules/check', {name: 'draft', text: draft.value}));
    if (!told) return;
    show(found, told.ok ? h('p', {class: 'good'}, 'no problem found') : null,
      (told.problems ?? []).concat(told.warnings ?? []).map(one =>
        h('p', {class: 'bad'}, `${one.line ?? ''}:${one.column ?? ''} ${one.message}`, one.hint ? ` → ${one.hint}` : '')));
  };
  draft.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(check, 300); });
  const save = button('Save', async () => {
    if (await attempt(() => post('/rules', {text: draft.value}))) { notice('in force'); drawList(list); }
  }, {id: 'save'});
  const sandbox = h('select', {'aria-label': 'Recorded sandbox'});
  const changed = h('div', {role: 'status', id: 'replayed'});
  const replay = button('Replay', async () => {
    const told = await attempt(() => post('/enforcement/backtest', {rule: toRule(draft.value), sandbox: sandbox.value}));
    if (told) {
      show(changed, h('p', {}, `${told.total_matches} recorded events would be decided by it`),
        h('ul', {}, told.rows.slice(0, 50).map(row => h('li', {}, row.matched_fields.map(field => `${field.path} = ${field.value}`).join(', '), ` → ${row.outcome}`))));
    }
  }, {id: 'replay'});
  show(main, h('h1', {}, 'Rules'), h('h2', {}, 'Draft'), draft, found, h('p', {class: 'answers'}, save, ' ', sandbox, replay), changed, h('h2', {}, 'In force'), list);
  drawList(list);
  check();
  get('/list').then(told => show(sandbox, told.sandboxes.map(one => h('option', {value: one.id}, one.id)))).catch(() => {});
}

/** The draft as the backtest takes it. The service reads TOML itself; this reads only the simple lines of one rule. */
function toRule(text) {
  const rule = {id: /^\[(.+)\]/m.exec(text)?.[1] ?? 'draft', pack_id: 'draft'};
  for (const [, key, , double, single, plain] of text.matchAll(/^(\w+)\s*=\s*("((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+))\s*$/gm)) {
    const value = double !== undefined ? JSON.parse(`"${double}"`) : single !== undefined ? single : Number(plain);
    rule[key === 'if' ? 'condition' : key] = value;
  }
  return rule;
}

async function drawList(place) {
  const told = await attempt(() => get('/rules'));
  if (!told) return;
  show(place, h('p', {}, `profile ${told.profile_id}`), table(['Rule', 'On', 'Decision', 'Priority', 'Whose', ''], told.rules.map(one => h('tr', {}, cells(
    h('details', {}, h('summary', {}, one.id.replace('security.rules.', '')), h('pre', {}, one.condition)),
    one.callback, one.decision, one.priority, [one.provenance?.source ?? '', one.provenance?.locked ? ' (locked)' : ''],
    one.editable ? button('Remove', async () => {
      if (confirm(`Remove ${one.id}?`) && await attempt(() => remove(`/rules/${segment(one.id)}`))) drawList(place);
    }, {class: 'deny'}) : ''))), 'No rule.'));
}
