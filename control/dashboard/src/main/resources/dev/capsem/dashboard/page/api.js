// The service's own routes, below /api, as docs/reference/service-api.md lists them.
import {notice} from './dom.js';

let token = null;

async function csrf() {
  if (token === null) {
    const response = await fetch('/csrf');
    if (!response.ok) throw new Error('this browser is not logged in: type capsem ui in a terminal');
    token = (await response.json()).token;
  }
  return token;
}

export class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? `the service answered ${status}`);
    this.status = status;
    this.body = body;
  }
  get remedy() { return this.body.remedy ?? ''; }
}

async function ask(method, path, body) {
  const headers = {};
  if (method !== 'GET') headers['X-Capsem-Csrf'] = await csrf();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch('/api' + path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
  const text = await response.text();
  let answer = {};
  try { answer = text === '' ? {} : JSON.parse(text); } catch { answer = {error: text.slice(0, 200)}; }
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

export const get = path => ask('GET', path);
export const post = (path, body = {}) => ask('POST', path, body);
export const remove = path => ask('DELETE', path);
export const segment = encodeURIComponent;

/** Does it, and says what went wrong. */
export async function attempt(act) {
  try {
    return await act();
  } catch (e) {
    notice(e instanceof Refusal && e.remedy ? `${e.message} → ${e.remedy}` : e.message, true);
    return undefined;
  }
}

/** Server-sent events, for as long as it is open. The browser connects again by itself; the first event tells all. */
export function listen(path, kinds, onState = () => {}) {
  const source = new EventSource('/api' + path);
  source.onopen = () => onState(true);
  source.onerror = () => onState(false);
  for (const [kind, act] of Object.entries(kinds)) {
    source.addEventListener(kind, event => act(JSON.parse(event.data)));
  }
  return () => source.close();
}
