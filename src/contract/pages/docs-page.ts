import { createHash } from 'node:crypto';
import { ENDPOINTS } from '../endpoints.ts';
import { DOCS_SCRIPT } from './docs-script.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; border-bottom: 1px solid #ddd; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
details { border-bottom: 1px solid #ddd; padding: 0.3rem 0; }
summary { cursor: pointer; }
summary code { margin-right: 0.5rem; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: baseline; margin: 0.3rem 0; }
.row label { min-width: 12rem; }
.about { color: #595959; font-size: 0.875rem; }
input, textarea, button { font: inherit; color: inherit; background: transparent; border: 1px solid #767676; border-radius: 4px; padding: 0.2rem 0.5rem; }
textarea { display: block; width: 100%; box-sizing: border-box; font-family: ui-monospace, monospace; }
button { cursor: pointer; }
button:disabled { cursor: default; opacity: 0.5; }
.buttons { display: flex; gap: 0.5rem; align-items: baseline; margin: 0.5rem 0; }
.tools { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
pre { max-height: 30rem; overflow: auto; border: 1px solid #ddd; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (min-width: 70rem) { td code { white-space: nowrap; } }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181d; } td, th, details, pre { border-color: #333; } .about { color: #a8a8a8; } a { color: #8ab4f8; } }
`;

/**
 * The endpoints as a page that needs nothing else, and may load nothing but the description of the API and the answers that a
 * user asks for. Without scripts it is a list.
 */
export function docsPage(): { html: string; csp: string } {
  const tags = [...new Set(ENDPOINTS.map(([, { tag }]) => tag))];
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Holdfast API</title><style>${STYLE}</style></head>
<body>
<h1>Holdfast API</h1>
<p>The whole description, with every field, is <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1). Send a token as <code>Authorization: Bearer TOKEN</code>.</p>
<p>Each operation can be tried here: open it, fill in its parameters and press Send. Requests have the rights of your login, or of the token below. They change the state of this server as any other request does.</p>
<div class="tools"><span><label for="token">Token</label> <input id="token" type="password" autocomplete="off" placeholder="that of the login"></span> <span><label for="filter">Find</label> <input id="filter" type="search" placeholder="such as retry"></span></div>
<main id="operations">
${tags.map(section).join('\n')}
</main>
<script>${DOCS_SCRIPT}</script>
</body>
</html>
`;
  const csp = `default-src 'none'; style-src '${hashOfText(STYLE)}'; script-src '${hashOfText(DOCS_SCRIPT)}'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, csp };
}

/** As a policy names an inline text: this one, and no other. */
function hashOfText(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function section(tag: string): string {
  const rows = ENDPOINTS.filter(([, endpoint]) => endpoint.tag === tag).flatMap(([, endpoint]) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map(
      (path) =>
        `<tr><td><code>${endpoint.method}</code></td><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(endpoint.role ?? 'anybody')}</td><td>${escapeHtml(endpoint.summary)}</td></tr>`,
    ),
  );
  return `<h2>${escapeHtml(tag)}</h2>\n<table><thead><tr><th>Method</th><th>Path</th><th>Role</th><th></th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
