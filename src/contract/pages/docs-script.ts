/**
 * The script of the API page. It reads the description of the API from the server and makes a form of each operation.
 * Answers are shown as text, never as markup. A token that is typed in is kept in memory only; without one the browser
 * sends the cookie of the login.
 */
export const DOCS_SCRIPT = `
'use strict';
const MOST_TEXT = 200000;
const page = document.getElementById('operations');
const token = document.getElementById('token');
const filter = document.getElementById('filter');
const make = (name, facts, ...children) => {
  const element = Object.assign(document.createElement(name), facts);
  element.append(...children);
  return element;
};
const referred = (api, schema) =>
  schema && schema.$ref ? api.components.schemas[schema.$ref.split('/').at(-1)] : schema;

function exampleOf(api, given, depth) {
  const schema = referred(api, given) || {};
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf || schema.oneOf || schema.allOf;
  if (options) return exampleOf(api, options[0], depth);
  if (schema.type === 'object') {
    if (depth > 3) return {};
    const names = schema.required || [];
    return Object.fromEntries(names.map((name) => [name, exampleOf(api, (schema.properties || {})[name], depth + 1)]));
  }
  if (schema.type === 'array') return depth > 3 || !schema.minItems ? [] : [exampleOf(api, schema.items, depth + 1)];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum > 0 ? schema.minimum : 0;
  if (schema.type === 'boolean') return false;
  return schema.type === 'null' ? null : '';
}

function field(parameter, id) {
  const schema = parameter.schema || {};
  const input = make('input', { id, type: 'text', required: parameter.required === true, autocomplete: 'off' });
  if (schema.default !== undefined) input.placeholder = String(schema.default);
  const about = parameter.in + (parameter.required ? ', required' : '') + (parameter.description ? ': ' + parameter.description : '');
  return { input, row: make('div', { className: 'row' },
    make('label', { htmlFor: id }, make('code', {}, parameter.name)), input,
    make('span', { className: 'about' }, about)) };
}

function addressOf(path, fields) {
  let address = path;
  const query = new URLSearchParams();
  for (const { parameter, input } of fields) {
    if (input.value === '' && parameter.in !== 'path') continue;
    if (parameter.in === 'path') address = address.replace('{' + parameter.name + '}', encodeURIComponent(input.value));
    if (parameter.in === 'query') query.append(parameter.name, input.value);
  }
  const search = query.toString();
  return search === '' ? address : address + '?' + search;
}

async function readSome(response) {
  if (response.body === null) return '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < MOST_TEXT) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  await reader.cancel();
  return text + '\\n… (the rest is not shown)';
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

function tryIt(api, method, path, operation) {
  const prefix = operation.operationId;
  const fields = (operation.parameters || []).map((parameter) =>
    ({ parameter, ...field(parameter, prefix + '-' + parameter.in + '-' + parameter.name) }));
  const content = operation.requestBody && operation.requestBody.content['application/json'];
  const body = content && make('textarea', { id: prefix + '-body', rows: 6, spellcheck: false });
  if (body) body.value = JSON.stringify(exampleOf(api, content.schema, 0), null, 2);
  const send = make('button', { type: 'button' }, 'Send');
  const stop = make('button', { type: 'button', disabled: true }, 'Stop');
  const status = make('output', { className: 'status' });
  const answer = make('pre', { tabIndex: 0, hidden: true });
  answer.setAttribute('aria-label', 'Answer');
  let stopping = null;
  stop.addEventListener('click', () => stopping && stopping.abort());
  send.addEventListener('click', async () => {
    const missing = fields.find(({ input }) => input.required && input.value === '');
    if (missing) {
      status.textContent = missing.parameter.name + ' is required';
      missing.input.focus();
      return;
    }
    const headers = {};
    for (const { parameter, input } of fields) {
      if (parameter.in === 'header' && input.value !== '') headers[parameter.name] = input.value;
    }
    if (token.value !== '') headers.authorization = 'Bearer ' + token.value.trim();
    if (body) headers['content-type'] = 'application/json';
    stopping = new AbortController();
    send.disabled = true;
    stop.disabled = false;
    status.textContent = 'waiting for the answer';
    answer.hidden = true;
    const began = performance.now();
    try {
      const response = await fetch(addressOf(path, fields), {
        method, headers, signal: stopping.signal, credentials: 'same-origin', redirect: 'error',
        ...(body ? { body: body.value } : {}),
      });
      const text = await readSome(response);
      const took = Math.round(performance.now() - began);
      status.textContent = response.status + ' ' + response.statusText + ', ' + took + ' ms';
      answer.textContent = pretty(text) || '(no content)';
      answer.hidden = false;
    } catch (error) {
      status.textContent = stopping.signal.aborted ? 'stopped' : 'no answer: ' + error.message;
    }
    send.disabled = false;
    stop.disabled = true;
  });
  return [...fields.map(({ row }) => row),
    ...(body ? [make('label', { htmlFor: body.id }, 'Body'), body] : []),
    make('div', { className: 'buttons' }, send, stop, status), answer];
}

function show(api) {
  const sections = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags || ['Other'];
      const details = make('details', { className: 'operation' }, make('summary', {},
        make('code', { className: 'method' }, method.toUpperCase()), ' ', make('code', {}, path), ' ',
        make('span', {}, operation.summary || '')));
      details.dataset.text = (method + ' ' + path + ' ' + (operation.summary || '')).toLowerCase();
      // Forms are made when they are wanted: there are many operations.
      details.addEventListener('toggle', () => {
        if (details.children.length > 1) return;
        details.append(make('p', {}, operation.description || ''), ...tryIt(api, method.toUpperCase(), path, operation));
      });
      sections.set(tag, [...(sections.get(tag) || []), details]);
    }
  }
  page.replaceChildren(...[...sections].map(([tag, list]) => make('section', {}, make('h2', {}, tag), ...list)));
}

filter.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const each of page.querySelectorAll('details.operation')) each.hidden = !each.dataset.text.includes(wanted);
  for (const each of page.querySelectorAll('section')) {
    each.hidden = [...each.querySelectorAll('details.operation')].every(({ hidden }) => hidden);
  }
});

fetch('/api/v1/openapi.json').then((response) => response.json()).then(show, () => {});
`;
