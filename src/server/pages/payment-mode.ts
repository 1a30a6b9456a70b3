/** What every page says of how tips are paid here. It says nothing where payments are simulated. */
import type { PaymentMode } from '#shared/payments.ts';

/** The styles stand in the page, so that a page without the ribbon has no byte of it. */
const STYLE =
  '.test-mode{padding:max(.25rem,env(safe-area-inset-top)) max(1rem,env(safe-area-inset-right)) .25rem max(1rem,env(safe-area-inset-left));' +
  'background:var(--ink);color:var(--paper);font-size:.875rem;font-weight:600;text-align:center}' +
  '@media print{.test-mode{display:none}}';
/** It stands before the place of the client, whose screens come and go. */
const RIBBON = '<aside class="test-mode" aria-label="Payments">Test mode: no real money moves.</aside>';

/** A page of the client that tells its script how tips are paid, and people when no real money moves. */
export function withPaymentMode(html: string, mode: PaymentMode): string {
  if (mode === 'simulated') return html;
  const told = html.replace('<html ', `$&data-payments="${mode}" `);
  return mode === 'live'
    ? told
    : told.replace('</head>', `<style>${STYLE}</style>$&`).replace('<body>', `$&${RIBBON}`);
}
