import type { Page } from '@playwright/test';

interface News {
  /** The sentences about arriving tips that screen readers were told, in order. */
  readonly cards: readonly string[];
  /** How often the page asked the other tabs whether it may make a sound, which it does before it shows the card. */
  readonly claims: number;
  readonly sounds: number;
}

/** Notes what a page says of tips; to be called before it loads. */
export async function recordNews(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const news = { cards: [] as string[], claims: 0, sounds: 0 };
    Object.assign(window, { news });
    let present = '';
    new MutationObserver(() => {
      const signs = [...document.querySelectorAll('[role="status"]')].map(({ textContent }) => textContent);
      const said = signs.find((text) => text.includes('you keep')) ?? '';
      if (said !== present && said !== '') news.cards.push(said);
      present = said;
    }).observe(document, { childList: true, subtree: true, characterData: true });
    const { createOscillator } = AudioContext.prototype;
    AudioContext.prototype.createOscillator = function (this: AudioContext) {
      const tone = createOscillator.call(this);
      // A sound is two notes.
      news.sounds += 0.5;
      return tone;
    };
    const { request } = LockManager.prototype;
    LockManager.prototype.request = function (this: LockManager, ...args: unknown[]) {
      // Of several tabs the one that gets the lock makes the sound, and nobody waits for it.
      if (Reflect.get(Object(args[1]), 'ifAvailable')) news.claims += 1;
      return Reflect.apply(request, this, args);
    };
  });
}

export function newsOf(page: Page): Promise<News> {
  return page.evaluate(() => Reflect.get(window, 'news'));
}

export async function soundsOf(page: Page): Promise<number> {
  return (await newsOf(page)).sounds;
}
