/** The only style of a report; the policy of the page allows this text and no other. Colours as on the pages of the server. */
export const REPORT_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f7f9, #0f141a);
  --card: light-dark(#ffffff, #171e26);
  --line: light-dark(#d8dfe6, #313d4a);
  --text: light-dark(#17212b, #e7edf3);
  --quiet: light-dark(#51606f, #a3b1bf);
  --good: light-dark(#0b7455, #54c79b);
  --bad: light-dark(#b3261e, #ff8a80);
  --asks: light-dark(#8a5300, #f2b84b);
  --runs: light-dark(#1a5fb4, #82b4ff);
  --other: light-dark(#5b6b7b, #9aa9b8);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { margin: 0; font-size: 26px; overflow-wrap: anywhere; }
h2 { margin: 32px 0 8px; font-size: 19px; }
h3 { margin: 0 0 4px; font-size: 16px; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.good { color: var(--good); } .bad { color: var(--bad); } .asks { color: var(--asks); }
.runs { color: var(--runs); } .other { color: var(--other); }
.state { font-weight: 600; }
.card { margin: 12px 0; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.counts { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 12px 0 0; padding: 0; list-style: none; }
.counts b { font-size: 20px; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 4px 0; padding: 0; list-style: none; }
.scroll { overflow-x: auto; }
td p { margin: 0; }
.wide { min-width: 720px; }
td.sign { width: 80px; }
td.rule { width: 130px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--quiet); }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
td.advice, th.advice { padding-left: 16px; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
tr:last-child td { border-bottom: 0; }
pre { margin: 8px 0; padding: 10px 12px; max-height: 420px; overflow: auto; background: light-dark(#101820, #0a0f14);
  color: #dfe7ee; border: 1px solid var(--line); border-radius: 6px; font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: var(--quiet); }
:focus-visible { outline: 2px solid var(--runs); outline-offset: 2px; }
svg { display: block; width: 100%; min-width: 640px; height: auto; shape-rendering: crispEdges; }
svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; }
svg .axis { stroke: var(--line); }
svg .fill-good { fill: var(--good); } svg .fill-bad { fill: var(--bad); }
svg .fill-other { fill: var(--other); } svg .fill-runs { fill: var(--runs); }
svg .label { fill: var(--text); }
@media print { body { background: #fff; } pre { max-height: none; } .card { break-inside: avoid; } }
`;
