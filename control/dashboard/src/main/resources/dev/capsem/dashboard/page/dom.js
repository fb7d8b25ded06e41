// Builds elements. Text is always text: nothing that a guest wrote can become markup, because no string is ever parsed.

/** Characters that are invisible or move the text around, shown by their code. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

export function visible(value) {
  return String(value ?? '').replace(HIDDEN, c => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** An element. Properties that begin with `on` are listeners; `null` and `false` are left out. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : visible(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

export function show(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

export function table(heads, rows, empty) {
  if (rows.length === 0) return h('p', {class: 'empty'}, empty);
  return h('div', {class: 'scroll', tabindex: '0'},
    h('table', {},
      h('thead', {}, h('tr', {}, heads.map(head => h('th', {scope: 'col'}, head)))),
      h('tbody', {}, rows)));
}

export function cells(...values) {
  return values.map(value => h('td', {}, value));
}

export function button(label, act, properties = {}) {
  return h('button', {type: 'button', onclick: act, ...properties}, label);
}

export function time(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return visible(text);
  return h('time', {datetime: text, title: text}, date.toLocaleTimeString([], {hour12: false}));
}

export function dollars(value) {
  return value === null || value === undefined ? '–' : `$${Number(value).toFixed(value > 0 && value < 1 ? 4 : 2)}`;
}

let timer = 0;
export function notice(text, isBad = false) {
  const place = document.getElementById('notice');
  show(place, text);
  place.className = isBad ? 'bad' : '';
  clearTimeout(timer);
  timer = setTimeout(() => show(place), isBad ? 15000 : 5000);
}
