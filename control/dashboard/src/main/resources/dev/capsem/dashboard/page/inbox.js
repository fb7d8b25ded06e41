// Questions that wait for a person. Keys: o once, s session, a always, d deny, for the card that has the focus.
import {button, h, notice, show, table, cells, time} from './dom.js';
import {attempt, post, segment} from './api.js';
import {onQuestions, questions} from './app.js';

const KEYS = {o: ['approve', 'once'], s: ['approve', 'session'], a: ['approve', 'always'], d: ['deny', 'once']};
const LABELS = {once: 'Once', session: 'This session', always: 'Always'};

export function inbox(main) {
  const cards = h('div', {class: 'cards'});
  const history = h('div');
  const draw = () => { drawCards(cards); drawHistory(history); };
  show(main, h('h1', {}, 'Inbox'), notifications(), cards, h('h2', {}, 'Answered'), history);
  const stop = onQuestions(draw);
  const clock = setInterval(() => cards.querySelectorAll('[data-deadline]').forEach(tell), 1000);
  draw();
  return () => { stop(); clearInterval(clock); };
}

function notifications() {
  if (!('Notification' in window) || Notification.permission !== 'default') return null;
  return h('p', {}, button('Notify me when something asks', async event => {
    await Notification.requestPermission();
    event.target.remove();
  }));
}

function tell(place) {
  const left = Math.max(0, Math.round((new Date(place.dataset.deadline) - Date.now()) / 1000));
  place.textContent = `${left} s left`;
}

/** Cards that are there stay as they are, so that a new question never moves the focus. */
function drawCards(place) {
  if (questions.pending.length === 0) {
    show(place, h('p', {class: 'empty'}, 'Nothing waits for you.'));
    return;
  }
  const there = new Map([...place.children].filter(card => card.id).map(card => [card.id, card]));
  place.replaceChildren(...questions.pending.map(one => there.get(`q-${one.id}`) ?? card(one)));
}

function card(question) {
  const left = h('span', {class: 'left', 'data-deadline': question.deadline});
  tell(left);
  const rule = question.suggestion
    ? h('details', {}, h('summary', {}, 'What “always” would write'), h('pre', {}, question.suggestion)) : null;
  const answers = h('p', {class: 'answers'},
    question.scopes.map(scope => button(LABELS[scope] ?? scope, () => answer(question, 'approve', scope),
      {title: question.covers?.[scope], 'data-answer': scope})),
    button('Deny', () => answer(question, 'deny', 'once'), {class: 'deny', 'data-answer': 'deny'}));
  return h('article', {
    id: `q-${question.id}`, class: 'card', tabindex: '0', 'aria-label': `Question of ${question.sandbox}`,
    onkeydown: event => {
      const key = KEYS[event.key];
      if (key && !event.ctrlKey && !event.metaKey && !event.altKey && question.scopes.concat('deny').includes(key[0] === 'deny' ? 'deny' : key[1])) {
        event.preventDefault();
        answer(question, ...key);
      }
    },
  },
  h('header', {},
    h('a', {href: `#/session/${segment(question.sandbox)}`}, question.sandbox),
    question.process_name ? [' · ', question.process_name] : null, left),
  h('p', {class: 'subject'}, question.subject),
  question.reason ? h('p', {}, question.reason) : null,
  h('dl', {}, (question.details ?? []).map(detail => [h('dt', {}, detail.name), h('dd', {}, h('pre', {}, detail.text))]),
    h('dt', {}, 'asked by'), h('dd', {}, h('code', {}, question.rule))),
  rule, answers);
}

async function answer(question, decision, scope) {
  const told = await attempt(() => post(`/confirm/${segment(question.id)}`, {decision, scope}));
  if (told) {
    const rule = typeof told.rule_written === 'string' ? `; rule written: ${told.rule_written}` : '';
    notice(`${decision === 'deny' ? 'denied' : `approved (${told.scope})`}: ${question.subject}${rule}`);
  }
}

function drawHistory(place) {
  show(place, table(['Sandbox', 'What', 'Outcome', 'By', 'Asked'], questions.answered.map(one =>
    h('tr', {}, cells(one.sandbox, one.subject, [one.outcome, one.scope ? ` (${one.scope})` : ''], one.by ?? '', time(one.asked_at)))),
  'No question was answered since this page was opened.'));
}
