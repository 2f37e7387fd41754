/** The one style sheet of a page. No attribute carries style: the page's policy forbids it. */
import { DARK, LIGHT, themeVariables } from "./theme.ts";

const COLOURS = `
:root{color-scheme:light;${themeVariables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;${themeVariables(DARK)}}}
:root[data-theme=light]{color-scheme:light;${themeVariables(LIGHT)}}
:root[data-theme=dark]{color-scheme:dark;${themeVariables(DARK)}}
.within{--tone:var(--within)}.worse{--tone:var(--worse)}.open{--tone:var(--open)}.warn{--tone:var(--warn)}
.series-1{--tone:var(--series-1)}.series-2{--tone:var(--series-2)}.series-3{--tone:var(--series-3)}.series-4{--tone:var(--series-4)}
`;

const TEXT = `
*{box-sizing:border-box}
body{margin:0 auto;max-width:1280px;padding:0 20px 60px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
header.page{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:baseline;justify-content:space-between;padding:20px 0 8px}
h1{font-size:22px;margin:0;line-height:1.3;min-width:0;overflow-wrap:anywhere}h1 small{display:block;font-size:14px;font-weight:400;color:var(--quiet)}
h2{font-size:17px;margin:36px 0 8px}h3{font-size:15px;margin:0}
p,ul{margin:8px 0;max-width:90ch}ul{padding-left:20px}ul.flat{padding:0;margin:0;list-style:none}
code,pre,kbd{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
kbd{font-size:12px;border:1px solid var(--rule);border-radius:3px;padding:0 4px}
figure{margin:0}figcaption{color:var(--quiet);font-size:13px;margin:8px 0;max-width:110ch}
.legend{display:block}
details>summary{cursor:pointer;color:var(--quiet);font-size:13px;padding:4px 0;min-height:24px}
:focus-visible{outline:2px solid var(--within);outline-offset:2px}
button,input{font:inherit;font-size:14px;color:var(--ink);background:var(--ground);border:1px solid var(--rule);border-radius:5px;padding:3px 10px;min-height:30px}
button{cursor:pointer}button:disabled{color:var(--quiet);border-color:var(--line);cursor:default}
button[aria-pressed=true]{background:var(--ink);color:var(--ground);border-color:var(--ink)}
.n,.ci,.models,.needs,.input-id{color:var(--quiet)}
.n,.models,.needs{font-size:12px}
.measured b{font-weight:600}.refusal{color:var(--quiet);font-style:italic}
.tag{display:inline-block;font-size:12px;font-weight:600;color:var(--tone);border:1px solid var(--tone);border-radius:4px;padding:0 6px;margin:2px 6px 2px 0}
.notice{border-left:3px solid var(--warn);padding:6px 12px;background:var(--raised)}
.status{background:var(--raised);border-radius:8px;padding:12px 16px}
.status .state{margin:0 0 8px}
.status dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(215px,1fr));gap:8px 20px;margin:0}
dt{color:var(--quiet);font-size:12px}dd{margin:0;min-width:0}
footer{margin-top:48px;padding-top:12px;border-top:1px solid var(--line);color:var(--quiet);font-size:13px}
`;

const TABLES = `
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--quiet);font-size:13px;padding:6px 0}
th,td{padding:6px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--quiet);font-size:13px;vertical-align:bottom;white-space:nowrap}
.figure{text-align:right;white-space:nowrap}.figure .n,.measured .n{display:block}
.plot{min-width:170px;width:24%;padding-left:0;padding-right:0}
thead .plot{white-space:normal}
.arm-name{font-weight:600;display:block}tbody th{min-width:150px}.models{display:block}.needs{display:block}
table.plain th,table.plain td{white-space:nowrap;font-size:13px}
.data .figure .n{display:inline}
`;

const PLOTS = `
.row-plot,.scatter{display:block;overflow:visible}
.row-plot text,.scatter text{font-size:11px;fill:var(--quiet)}
.grid{stroke:var(--line)}.zero{stroke:var(--rule)}.limit{stroke:var(--warn);stroke-dasharray:4 3}.limit-name{fill:var(--warn)!important;font-weight:600}
.stroke{stroke:var(--tone,var(--ink));stroke-width:2}.arrow{fill:none}
.fill{fill:var(--tone)}.hollow{fill:var(--ground);stroke:var(--tone);stroke-width:2}
.box{fill:var(--ground);stroke:var(--ink);stroke-width:1.5}.median{stroke:var(--ink);stroke-width:3}
.beyond{fill:var(--beyond)}.front{stroke:var(--within);stroke-width:1.5;stroke-dasharray:1 4;stroke-linecap:round}
.ringed{fill:none;stroke:var(--tone);stroke-width:1.5}.leader{stroke:var(--rule)}
.scatter text{paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}
.scatter text.label{font-size:12px;fill:var(--ink)}.scatter .title{font-size:12px}
.scatter.narrow,.card-axis{display:none}
.rungs rect{stroke:var(--ground);stroke-width:1}
.shade-0{fill:var(--within)}.shade-1{fill:var(--open)}.shade-2{fill:var(--warn)}.shade-3{fill:var(--series-3)}.shade-4{fill:var(--worse)}.shade-5{fill:var(--rule)}
`;

const SAMPLES = `
.toolbar{position:sticky;top:0;z-index:1;background:var(--ground);border-bottom:1px solid var(--line);padding:8px 0;margin:12px 0}
.tabs,.tools{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:4px 0}
.toolbar p{margin:4px 0;font-size:13px}.toolbar p:empty{display:none}
.count{opacity:.8;font-size:12px}#progress{font-size:13px;color:var(--quiet)}#grader{width:9em}
#help{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:4px 16px;margin:8px 0}
#help[hidden],.pair[hidden]{display:none}
.pair{border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:12px 0;scroll-margin:150px 0 20px}
.pair.current{border-color:var(--rule);box-shadow:inset 4px 0 0 var(--within)}.pair:focus{outline:none}
.pair header{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
.sides,.columns{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px;margin:8px 0}
.side{border:1px solid var(--line);border-radius:6px;padding:8px 12px;min-width:0}
.side.marked{border-color:var(--within);box-shadow:0 0 0 1px var(--within)}
.side-head{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center}.letter{font-size:16px}
.grades{display:flex;gap:4px;margin-left:auto}.grades button{min-width:32px;padding:3px 0}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(130px,1fr));gap:4px 12px;margin:8px 0 0}
.pair:not(.revealed) .after{display:none}
.pair pre{background:var(--raised);border-radius:6px;padding:8px 10px;margin:0;white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto;unicode-bidi:plaintext}
.fields{table-layout:fixed}.fields pre{padding:2px 6px}.fields td,.fields th{overflow-wrap:anywhere}
del{background:var(--removed);color:var(--ink);text-decoration:line-through}ins{background:var(--added);color:var(--ink);text-decoration:underline}
.key{font-size:13px;color:var(--quiet)}
body[data-show=fields] .pair [data-mode]:not([data-mode=fields]),body[data-show=words] .pair [data-mode]:not([data-mode=words]),body[data-show=raw] .pair [data-mode]:not([data-mode=raw]){display:none}
`;

const PHONE = `
@media (max-width:760px){
body{padding:0 12px 40px}
.scatter.wide{display:none}.scatter.narrow,.card-axis{display:block}
table.cards td:empty{display:none}
table.cards,table.cards caption,table.cards tbody,table.cards tr,table.cards th,table.cards td{display:block;width:auto}
table.cards thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table.cards tr{border:1px solid var(--line);border-radius:8px;padding:8px 12px;margin:10px 0}
table.cards th,table.cards td{border:0;padding:4px 0}
table.cards td{display:grid;grid-template-columns:minmax(84px,34%) minmax(0,1fr);gap:8px;text-align:left;white-space:normal}
table.cards td>*{grid-column:2;min-width:0}table.cards td::before{content:attr(data-label);grid-column:1;grid-row:1;color:var(--quiet);font-size:13px}
table.cards td.plot{grid-template-columns:minmax(0,1fr)}table.cards td.plot>*{grid-column:1}table.cards td.plot::before{grid-row:auto}
.sides,.columns{grid-template-columns:minmax(0,1fr)}
.columns>[data-label]::before{content:attr(data-label);color:var(--quiet);font-size:12px;display:block}
.toolbar{position:static}
.fields,.fields tbody,.fields tr,.fields th,.fields td{display:block}.fields thead{display:none}
.fields td::before{content:attr(data-label);color:var(--quiet);font-size:12px}
}
@media print{.toolbar,#theme,.grades{display:none}.pair .after{display:revert!important}}
`;

export const PAGE_STYLE = [COLOURS, TEXT, TABLES, PLOTS, SAMPLES, PHONE].join("");
