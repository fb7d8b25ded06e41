// Chooses the screen by the address behind #, and keeps the list of questions for all of them.
import {h, show, visible} from './dom.js';
import {listen} from './api.js';
import {inbox} from './inbox.js';
import {sandboxes} from './sandboxes.js';
import {session} from './session.js';
import {changes} from './changes.js';
import {spend} from './spend.js';
import {rules} from './rules.js';
import {tools} from './tools.js';
import {health} from './health.js';

const SCREENS = [
  ['inbox', 'Inbox', inbox],
  ['sandboxes', 'Sandboxes', sandboxes],
  ['spend', 'Spend', spend],
  ['rules', 'Rules', rules],
  ['health', 'Health', health],
];
const OF_ONE = {session, changes, tools};

export const questions = {pending: [], answered: []};
const listeners = new Set();

/** Told whenever a question comes or goes. */
export function onQuestions(act) {
  listeners.add(act);
  return () => listeners.delete(act);
}

function changed() {
  drawNavigation();
  document.title = questions.pending.length > 0 ? `(${questions.pending.length}) Capsem` : 'Capsem';
  listeners.forEach(act => act());
}

function notify(question) {
  if ('Notification' in window && Notification.permission === 'granted' && document.hidden) {
    new Notification(`Capsem asks · ${visible(question.sandbox)}`, {body: visible(question.subject), tag: question.id});
  }
}

function watchQuestions() {
  listen('/confirm/stream', {
    snapshot: data => { questions.pending = data.pending ?? []; changed(); },
    pending: data => {
      questions.pending = [...questions.pending.filter(one => one.id !== data.id), data];
      notify(data);
      changed();
    },
    resolved: data => {
      const asked = questions.pending.find(one => one.id === data.id);
      questions.pending = questions.pending.filter(one => one.id !== data.id);
      if (asked) questions.answered = [{...asked, ...data}, ...questions.answered].slice(0, 100);
      changed();
    },
  }, isThere => {
    const place = document.getElementById('link');
    show(place, isThere ? '' : 'the service is not there; trying again');
    place.className = isThere ? '' : 'bad';
  });
}

let leave = () => {};
let current = '';

function drawNavigation() {
  show(document.getElementById('nav'), SCREENS.map(([name, label]) => h('a', {
    href: `#/${name}`,
    'aria-current': current === name ? 'page' : null,
  }, label, name === 'inbox' && questions.pending.length > 0
    ? h('span', {class: 'count', 'aria-label': 'questions wait'}, questions.pending.length) : null)));
}

function route() {
  const [name, ...rest] = location.hash.replace(/^#\//, '').split('/').map(decodeURIComponent);
  leave();
  leave = () => {};
  current = name || 'inbox';
  drawNavigation();
  const main = document.getElementById('main');
  show(main);
  const screen = SCREENS.find(([id]) => id === current)?.[2] ?? OF_ONE[current];
  if (!screen) {
    show(main, h('h1', {}, 'Not found'), h('p', {}, 'There is no such screen.'));
    return;
  }
  leave = screen(main, ...rest) ?? (() => {});
}

window.addEventListener('hashchange', route);
watchQuestions();
route();
