/** Carries tips of the open demo to the landing page without the server: at once in other tabs, later in this one. */
import { DEMO_PREFIX } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import { isOpenDemo } from '#shared/open-demo.ts';
import { isWithinBounds } from '#shared/tip-amount.ts';
import { paths } from '../paths.ts';
import { read, remove, write } from './tab-storage.ts';

/** The address of the picture on the landing page in which tips of the demo arrive. */
export const BAR = `${paths.home}#bar`;

const NAME = 'demo-tips';
const MAX_KEPT = 20;

interface TipPage {
  readonly isDemo: boolean;
  readonly qrId: string;
  readonly username: string;
  readonly serviceCategory: string;
}

/** True for the open demo itself, false for a demo that the address has made of its code. */
export function isOfOpenDemo({ isDemo, qrId, username, serviceCategory }: TipPage): boolean {
  return isDemo && isOpenDemo(qrId) && isOpenDemo(`${DEMO_PREFIX}${username}-${serviceCategory}`);
}

export function sendDemoTip(amountCents: Cents): void {
  write(NAME, [...keptTips(), { amountCents }].slice(-MAX_KEPT));
  const channel = openChannel();
  channel?.postMessage({ amountCents });
  channel?.close();
}

/** @returns null in a browser that has none, or refuses it because it stores nothing for this site. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    return null;
  }
}

/** Removes the tips that this tab has sent and returns their amounts, oldest first. */
export function takeDemoTips(): readonly Cents[] {
  const tips = keptTips();
  remove(NAME);
  return tips.map(({ amountCents }) => amountCents);
}

/** Calls `listener` with each tip of another tab. @returns a function that stops it. */
export function followDemoTips(listener: (amountCents: Cents) => void): () => void {
  const channel = openChannel();
  if (channel === null) return () => {};
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

/** Reads a message, which any script of this origin could have written; null unless it is exactly a tip. */
function readTip(value: unknown): DemoTip | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'amountCents') return null;
  const amount: unknown = Reflect.get(value, 'amountCents');
  const isTip = Number.isSafeInteger(amount) && isWithinBounds(Number(amount));
  return isTip ? { amountCents: cents(Number(amount)) } : null;
}
