/** What every page says of the operator's settings. It says nothing where payments are simulated and guests have to log in. */
import type { Installation } from '#shared/rendered-page.ts';

/** The styles stand in the page, so that a page without the ribbon has no byte of it. */
const STYLE =
  '.test-mode{padding:max(.25rem,env(safe-area-inset-top)) max(1rem,env(safe-area-inset-right)) .25rem max(1rem,env(safe-area-inset-left));' +
  'background:var(--ink);color:var(--paper);font-size:.875rem;font-weight:600;text-align:center}' +
  '@media print{.test-mode{display:none}}';
/** It stands before the place of the client, whose screens come and go. */
const RIBBON = '<aside class="test-mode" aria-label="Payments">Test mode: no real money moves.</aside>';

/** A page of the client that tells its script what is set up here, and people when no real money moves. */
export function withInstallation(html: string, { paymentMode, takesGuestTips }: Installation): string {
  const payments = paymentMode === 'simulated' ? '' : `data-payments="${paymentMode}" `;
  const guests = takesGuestTips ? 'data-guests="on" ' : '';
  const told = html.replace('<html ', `$&${payments}${guests}`);
  return paymentMode === 'test'
    ? told.replace('</head>', `<style>${STYLE}</style>$&`).replace('<body>', `$&${RIBBON}`)
    : told;
}
