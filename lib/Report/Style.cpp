// The style sheet. Colours have names, and two values each; texts on them keep
// a contrast of 4.5 to 1 or more, which the test in a browser checks.
#include "Sections.h"

const llvm::StringLiteral evo::report::styleSheet = R"(
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #ffffff; --text: #1c2126; --quiet: #59636e;
  --rule: #dde1e6; --best: #0b63c4; --good: #15713f; --bad: #b3261e;
  --input: #8a5a00; --roof: #6b3fa0; --code: #f2f4f6;
  --added: #e2f5e9; --removed: #fde7e5; --mark: #e8f1fc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101316; --card: #181c20; --text: #e3e7eb; --quiet: #98a4b0;
    --rule: #30373f; --best: #6cb0ff; --good: #5fcf94; --bad: #ff8a80;
    --input: #e0aa45; --roof: #c3a1f2; --code: #12161a;
    --added: #12301f; --removed: #3a1a1a; --mark: #16283c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
main { max-width: 1100px; margin: 0 auto; padding: 24px 16px 64px; }
section, aside {
  background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 18px 22px; margin-top: 18px;
}
header { margin-bottom: 18px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 10px; }
h3 { font-size: 15px; margin: 18px 0 6px; }
p { margin: 6px 0; }
header > p:first-child { text-transform: uppercase; letter-spacing: .06em; font-size: 12px; }
.headline { font-size: 19px; }
.note { color: var(--quiet); font-size: 13px; }
aside ul { margin: 0; padding-left: 18px; }
aside { border-left: 4px solid var(--input); }
.cards { display: flex; flex-wrap: wrap; gap: 10px; margin: 14px 0; }
.card {
  background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 10px 16px; min-width: 112px;
}
.value { font-size: 22px; font-weight: 600; white-space: nowrap; }
blockquote {
  margin: 8px 0 14px; padding: 6px 14px; border-left: 4px solid var(--best);
  background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere;
}
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; }
tbody tr, .facts tr { border-top: 1px solid var(--rule); }
.facts tr:first-child { border-top: 0; }
thead th { color: var(--quiet); font-size: 13px; font-weight: 600; }
th { font-weight: 600; }
.facts th { width: 170px; font-weight: 500; color: var(--quiet); }
.facts td { overflow-wrap: anywhere; }
.facts td.note { width: 38%; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.total { font-weight: 600; }
.scroll { overflow-x: auto; }
.bars th { width: 210px; overflow-wrap: anywhere; }
.bars .number { width: 90px; }
.bar { display: block; width: 100%; height: 10px; margin-top: 7px; border-radius: 3px; background: var(--code); }
rect.failed { fill: var(--bad); } rect.winner { fill: var(--best); }
rect.input { fill: var(--input); } rect.time { fill: var(--roof); }
.grade { border-radius: 9px; padding: 1px 9px; font-size: 13px; border: 1px solid currentColor; color: var(--good); white-space: nowrap; }
.cause, .failure { color: var(--bad); overflow-wrap: anywhere; }
.cause { display: inline-block; max-width: 170px; font-size: 13px; }
.candidates .how { min-width: 300px; overflow-wrap: anywhere; }
.candidates .name { min-width: 110px; max-width: 260px; overflow-wrap: anywhere; font-weight: 600; }
.candidates td { padding: 7px 14px 7px 6px; }
.candidates th { padding-left: 6px; }
tr.winner, tr.line { background: var(--mark); }
tr.winner .name { color: var(--best); }
td.depth1 { padding-left: 18px; } td.depth2 { padding-left: 32px; }
td.depth3 { padding-left: 46px; } td.depth4 { padding-left: 60px; }
td.depth5 { padding-left: 74px; } td.depth6 { padding-left: 88px; }
td.depth7 { padding-left: 102px; } td.depth8 { padding-left: 116px; }
td.depth9 { padding-left: 130px; } td.depth10 { padding-left: 144px; }
td.depth11 { padding-left: 158px; } td.depth12 { padding-left: 172px; }
code, pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
pre { background: var(--code); padding: 10px 12px; border-radius: 6px; overflow: auto; max-height: 480px; margin: 6px 0; white-space: pre; }
details { margin-top: 4px; }
summary { cursor: pointer; color: var(--best); font-size: 13px; }
.diff { width: max-content; min-width: 100%; }
.diff tr { border: 0; }
.diff td { padding: 0 8px; white-space: pre; }
.diff .number { color: var(--quiet); font-size: 12px; user-select: none; }
.diff .added { background: var(--added); } .diff .removed { background: var(--removed); }
.diff .fold td { color: var(--quiet); background: var(--code); padding: 2px 8px; font-size: 12px; text-align: center; }
.chart { display: block; width: 100%; min-width: 640px; height: auto; }
.chart text { font: 12px system-ui, "Liberation Sans", sans-serif; fill: var(--quiet); }
.chart .grid { stroke: var(--rule); } .chart .axis { stroke: var(--quiet); }
.chart path { fill: none; stroke-width: 2; }
.chart .level { stroke-dasharray: 5 4; stroke-width: 1.5; }
.chart path.best, .chart .level.best { stroke: var(--best); }
.chart path.roof, .chart .level.roof { stroke: var(--roof); }
.chart .level.input { stroke: var(--input); }
.chart path.failed { stroke: var(--bad); stroke-width: 1.5; }
.chart circle { stroke: var(--card); stroke-width: 1; }
.chart .accepted { fill: var(--good); } .chart .winner { fill: var(--best); r: 7px; }
.chart circle.input { fill: var(--input); r: 7px; }
.chart .name { font-weight: 600; }
.chart .name.best { fill: var(--best); } .chart .name.roof { fill: var(--roof); }
.chart .name.input { fill: var(--input); }
.legend { display: flex; flex-wrap: wrap; gap: 18px; font-size: 13px; color: var(--quiet); }
.key::before { content: "●"; margin-right: 6px; }
.key.accepted::before { color: var(--good); } .key.winner::before { color: var(--best); }
.key.input::before { color: var(--input); }
.key.roof::before { content: "━"; color: var(--roof); }
.key.failed::before { content: "×"; color: var(--bad); font-weight: 700; }
@media print {
  body { background: none; } .scroll, pre { overflow: visible; max-height: none; }
  section { break-inside: avoid-page; }
}
)";
