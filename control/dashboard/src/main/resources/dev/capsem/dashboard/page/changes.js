// The project's copy against its original: a file at a time, applied by choice.
import {button, h, notice, show} from './dom.js';
import {attempt, get, post, segment} from './api.js';

export function changes(main, id) {
  const place = h('div');
  show(main, h('h1', {}, 'Changes of ', h('a', {href: `#/session/${segment(id)}`}, id)), place);
  draw(place, id);
}

async function draw(place, id) {
  const told = await attempt(() => get(`/diff/${segment(id)}`));
  if (!told) return;
  const held = new Set((told.held ?? []).map(one => one.path ?? one));
  const files = split(told.unified);
  const boxes = told.changes.map(change => h('input', {
    type: 'checkbox', value: change.path, checked: !held.has(change.path), 'aria-label': `Apply ${change.path}`,
  }));
  const chosen = () => boxes.filter(box => box.checked).map(box => box.value);
  show(place,
    h('p', {}, told.project, ` · ${told.changes.length} files changed`, told.ignored ? `, ${told.ignored} ignored stay inside` : ''),
    (told.commits ?? []).length > 0 ? h('p', {}, `${told.commits.length} commits come home as branches`) : null,
    told.changes.length === 0 ? h('p', {class: 'empty'}, 'Nothing changed.') : null,
    told.changes.map((change, i) => h('details', {class: held.has(change.path) ? 'file held' : 'file', open: told.changes.length < 20},
      h('summary', {}, boxes[i], ' ', h('code', {}, change.path), ` ${change.kind} `,
        h('span', {class: 'plus'}, `+${change.insertions ?? 0}`), ' ', h('span', {class: 'minus'}, `−${change.deletions ?? 0}`),
        held.has(change.path) ? h('strong', {}, ' your tools may run this') : null),
      diff(files.get(change.path) ?? ''))),
    told.cut ? h('p', {}, `${told.cut} files are too long to show here: capsem diff ${id}`) : null,
    told.changes.length > 0 ? h('p', {class: 'answers'}, button('Apply chosen files', async () => {
      const paths = chosen();
      if (paths.length === 0) { notice('choose a file first', true); return; }
      const done = await attempt(() => applyAsRead(id, paths, files));
      if (done) {
        notice(`applied ${done.applied.length + (done.merged ?? []).length}, refused ${done.refused.length}, held back ${done.held.length}`,
          done.refused.length + done.held.length > 0);
        draw(place, id);
      }
    }, {id: 'apply'})) : null);
}

/** What is brought home is what was shown: the digest is of these paths, and their text must be the same as before. */
async function applyAsRead(id, paths, shown) {
  const now = await get(`/diff/${segment(id)}?${paths.map(path => `path=${segment(path)}`).join('&')}`);
  const files = split(now.unified);
  const other = paths.find(path => files.get(path) !== shown.get(path));
  if (other !== undefined) throw new Error(`${other} has changed since you read it; open this screen again`);
  return post(`/apply/${segment(id)}`, {paths, as: now.digest});
}

function split(unified) {
  const files = new Map();
  for (const part of unified.split(/^(?=diff --git )/m)) {
    const name = /^\+\+\+ b\/(.*)$/m.exec(part) ?? /^--- a\/(.*)$/m.exec(part) ?? /^diff --git a\/.* b\/(.*)$/m.exec(part);
    if (name) files.set(name[1], part);
  }
  return files;
}

function diff(text) {
  const lines = text.split('\n').filter(one => !/^(diff --git|index |---|\+\+\+)/.test(one));
  return h('pre', {class: 'diff'}, lines.map(one => h('span', {
    class: one.startsWith('+') ? 'plus' : one.startsWith('-') ? 'minus' : one.startsWith('@@') ? 'hunk' : null,
  }, one, '\n')));
}
