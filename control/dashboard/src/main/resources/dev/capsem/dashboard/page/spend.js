// Tokens and dollars, and the budgets beside them.
import {button, cells, dollars, h, notice, show, table} from './dom.js';
import {attempt, get, post, segment} from './api.js';

export function spend(main) {
  const budgets = h('div');
  const costs = h('div');
  show(main, h('h1', {}, 'Spend'), h('h2', {}, 'Budgets'), budgets, h('h2', {}, 'Cost'), costs);
  let isOpen = true;
  const draw = async () => {
    const [limits, bySandbox, byModel] = await Promise.all([get('/budgets'), get('/cost?by=sandbox'), get('/cost?by=model')]);
    if (!isOpen) return;
    drawBudgets(budgets, limits.budgets, draw);
    show(costs, costTable('Sandbox', bySandbox), costTable('Model', byModel),
      h('p', {}, `In all ${dollars(bySandbox.total.known_cost_usd)}, ${bySandbox.total.calls} calls`));
  };
  attempt(draw);
  const clock = setInterval(() => { if (!document.hidden) draw().catch(() => {}); }, 5000);
  return () => { isOpen = false; clearInterval(clock); };
}

function costTable(head, told) {
  return table([head, 'Calls', 'In', 'Out', 'Cost'], told.rows.map(row => h('tr', {}, cells(
    row.key, row.calls, row.input_tokens, row.output_tokens, dollars(row.known_cost_usd)))),
  `No model call yet (by ${head.toLowerCase()}).`);
}

function drawBudgets(place, all, again) {
  const focused = document.activeElement?.id;
  show(place, table(['Budget', 'Spent', 'Left', 'Limit', 'Window', 'Then', ''], all.map(one => h('tr', {}, cells(
    [one.name, one.sandbox ? ` (${one.sandbox})` : ''], one.spent_text, one.left_text, one.limit_text, one.window, one.then,
    button('Raise…', async () => {
      const by = prompt(`Raise ${one.name} by how many ${one.unit}?`, '5');
      if (by === null) return;
      const body = {by: `${by}${one.unit}`};
      if (one.sandbox) body.sandbox = one.sandbox;
      const told = await attempt(() => post(`/budgets/${segment(one.name)}/raise`, body));
      if (told) { notice(`${one.name}: ${told.left_text} left`); again(); }
    }, {id: `raise-${one.name}`})))), 'No budget is set: capsem budget set daily 5usd --window day'));
  if (focused) document.getElementById(focused)?.focus();
}
