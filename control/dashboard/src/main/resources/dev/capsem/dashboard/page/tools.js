// MCP servers and tools of one sandbox; new and changed ones wait for a person.
import {button, cells, h, show, table} from './dom.js';
import {attempt, get, post, segment} from './api.js';

export function tools(main, id) {
  const place = h('div');
  show(main, h('h1', {}, 'Tools of ', h('a', {href: `#/session/${segment(id)}`}, id)), place);
  attempt(async () => draw(place, id, await get(`/mcp/tools/${segment(id)}`)));
}

function draw(place, id, told) {
  show(place,
    table(['Server', 'State', 'Tools', 'Problem'], told.servers.map(one => h('tr', {}, cells(
      one.name, one.connected ? 'connected' : 'not connected', one.tool_count, one.error ?? ''))), 'No MCP server.'),
    table(['Tool', 'State', 'What it says', ''], told.tools.map(one => h('tr', {}, cells(
      one.name, one.state,
      [one.reason ? h('p', {}, one.reason) : null,
        (one.diff ?? []).length > 0 ? h('pre', {class: 'diff'}, one.diff.map(line => h('span', {class: line.startsWith('+') ? 'plus' : 'minus'}, line, '\n')))
          : one.description],
      one.state === 'new' || one.state === 'changed' ? button('Approve', () => attempt(async () =>
        draw(place, id, await post(`/mcp/tools/${segment(id)}/approve`, {tools: [one.name]})))) : ''))), 'No tool.'));
}
