// What capsem status and capsem triage say.
import {cells, h, show, table, time} from './dom.js';
import {attempt, get} from './api.js';

export function health(main) {
  const place = h('div');
  show(main, h('h1', {}, 'Health'), place);
  attempt(async () => {
    const [status, triage, panics] = await Promise.all([get('/status'), get('/triage'), get('/panics')]);
    show(place,
      h('p', {}, `version ${status.version}, up for ${Math.round(status.uptime_secs / 60)} min, ${status.driver}, at most ${status.sandboxes_max} sandboxes`),
      status.problems.length === 0 ? h('p', {class: 'good'}, 'No problem is known.') : status.problems.map(one =>
        h('p', {class: 'bad'}, `${one.cause} → ${one.remedy}`)),
      h('h2', {}, 'This host'), h('dl', {}, Object.entries(status.abilities).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
      h('h2', {}, 'To look at first'), table(['What'], triage.rank.map(one =>
        h('tr', {}, cells(one))), 'Nothing went wrong lately.'),
      h('h2', {}, 'Crashes'), table(['When', 'Program', 'What'], panics.panics.map(one =>
        h('tr', {}, cells(time(one.ts), one.binary, one.message))), 'None.'));
  });
}
