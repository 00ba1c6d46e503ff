import { createHash } from 'node:crypto';
import { ENDPOINTS } from './endpoints.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; border-bottom: 1px solid #ddd; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
@media (min-width: 70rem) { td code { white-space: nowrap; } }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181d; } td, th { border-color: #333; } a { color: #8ab4f8; } }
`;

/** The endpoints as a page that needs nothing else, and may load nothing else. */
export function docsPage(): { html: string; csp: string } {
  const tags = [...new Set(ENDPOINTS.map(([, { tag }]) => tag))];
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Holdfast API</title><style>${STYLE}</style></head>
<body>
<h1>Holdfast API</h1>
<p>The whole description, with every field, is <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1). Send a token as <code>Authorization: Bearer TOKEN</code>.</p>
${tags.map(section).join('\n')}
</body>
</html>
`;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const csp = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, csp };
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
