/** Says on every page that tips are paused, outside of the client's root element: no page loads script for it. */
import { PAGE_LANGUAGE } from '#shared/language.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import { withStyle } from './branded.ts';

const STYLE =
  '.maintenance{padding:max(.5rem,env(safe-area-inset-top)) max(1rem,env(safe-area-inset-right)) .5rem max(1rem,env(safe-area-inset-left));' +
  'border-bottom:1px solid var(--line);background:var(--danger-wash);color:var(--danger);font-weight:600;text-align:center;text-wrap:balance}' +
  '@media print{.maintenance{display:none}}';

/** Writes times for the reader's time zone, and leaves out one that is over: nobody knows when it will end. */
const SCRIPT =
  'for(const t of document.querySelectorAll("[data-until] time")){const d=new Date(t.dateTime),n=new Date,o={hour:"numeric",minute:"2-digit"};' +
  'if(d<n)t.closest("[data-until]").remove();else{if(d.toDateString()!==n.toDateString())Object.assign(o,{month:"short",day:"numeric"});' +
  `t.textContent=d.toLocaleString("${PAGE_LANGUAGE}",o)}}`;

const inUtc = new Intl.DateTimeFormat(PAGE_LANGUAGE, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});

export function withMaintenance(html: string, maintenance: Maintenance | null): string {
  if (!maintenance) return html;
  const { untilMs } = maintenance;
  const end = untilMs === null ? null : new Date(untilMs);
  const until = end
    ? `<span data-until> until <time datetime="${end.toISOString()}">${inUtc.format(end)}</time></span>`
    : '';
  const notice =
    '<aside class="maintenance" aria-label="Maintenance">' +
    `Tips are paused for maintenance${until}.</aside>`;
  const told = html
    .replace('<html ', (tag) => `${tag}data-maintenance="${end ? end.toISOString() : ''}" `)
    .replace('<body>', (tag) => tag + notice);
  return withStyle(told, STYLE).replace('</body>', (tag) => (end ? `<script>${SCRIPT}</script>${tag}` : tag));
}
