/**
 * The tips of the open demo, on their way from its tip page to the landing page. They leave nothing on the
 * server: the browser hands them to its other tabs, and keeps the last ones of a tab for when it comes back
 * to the landing page.
 */
import { DEMO_PREFIX } from '#shared/ids.ts';
import { type Cents, cents, MAX_TIP_CENTS, MIN_TIP_CENTS } from '#shared/money.ts';
import { isOpenDemo } from '#shared/open-demo.ts';
import { paths } from '../paths.ts';
import { read, remove, write } from './tab-storage.ts';

/** The address of the picture on the landing page, in which the tips of the demo arrive. */
export const BAR = `${paths.home}#bar`;

const NAME = 'demo-tips';
/** How many tips a tab keeps at most until it comes back to the landing page. */
const MAX_KEPT = 20;

interface TipPage {
  readonly isDemo: boolean;
  readonly qrId: string;
  readonly username: string;
  readonly serviceCategory: string;
}

/** Whether a tip page is that of the open demo, and not one that the address has made of its code. */
export function isOfOpenDemo({ isDemo, qrId, username, serviceCategory }: TipPage): boolean {
  return isDemo && isOpenDemo(qrId) && isOpenDemo(`${DEMO_PREFIX}${username}-${serviceCategory}`);
}

/** Sends a tip to the landing page, wherever it is open. */
export function sendDemoTip(amountCents: Cents): void {
  write(NAME, [...keptTips(), { amountCents }].slice(-MAX_KEPT));
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ amountCents });
  channel.close();
}

/** Takes away the tips that were sent from this tab and returns their amounts, oldest first. */
export function takeDemoTips(): readonly Cents[] {
  const tips = keptTips();
  remove(NAME);
  return tips.map(({ amountCents }) => amountCents);
}

/** Calls `listener` with each tip that another tab sends; returns what ends it. */
export function followDemoTips(listener: (amountCents: Cents) => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => {};
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const tip = readTip(data);
    if (tip) listener(tip.amountCents);
  };
  return () => channel.close();
}

interface DemoTip {
  readonly amountCents: Cents;
}

function keptTips(): readonly DemoTip[] {
  const kept = read(NAME);
  return Array.isArray(kept) ? kept.flatMap((value) => readTip(value) ?? []).slice(-MAX_KEPT) : [];
}

/**
 * Reads a message, which any script of this origin could have written; null unless it is a tip and nothing
 * else.
 */
function readTip(value: unknown): DemoTip | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'amountCents') return null;
  const amount: unknown = Reflect.get(value, 'amountCents');
  const isTip =
    Number.isSafeInteger(amount) && Number(amount) >= MIN_TIP_CENTS && Number(amount) <= MAX_TIP_CENTS;
  return isTip ? { amountCents: cents(Number(amount)) } : null;
}
