/** A phone with a browser of another engine, as a person uses it: opens pages, taps, types and reads. */
import { brand } from '#shared/brand.ts';
import { isTakenOver } from '../taken-over.ts';
import { type Engine, waitFor } from './engine.ts';
import {
  beginAnew,
  type Control,
  isArrived,
  linesOfTime,
  markAsLeft,
  type Place,
  placeOf,
  rowsOfTabs,
  selectAll,
  shownText,
} from './in-page.ts';

/** Twice what the driver of WebKit may take for one call, such as while the process of the first page starts. */
const PATIENCE_MS = 60_000;
/** Of the text of a screen, in a failure. */
const MAX_TOLD = 1_500;
/** What means something of its own in a pattern. */
const SPECIAL = /[$()*+.?[\\\]^{|}]/g;
/** As large as the screen of a common phone, in CSS pixels. */
const SCREEN = { width: 390, height: 844 };

export class Phone {
  readonly #engine: Engine;
  readonly #origin: string;

  /** @param origin of the server whose pages it opens. */
  private constructor(engine: Engine, origin: string) {
    this.#engine = engine;
    this.#origin = origin;
  }

  static async switchOn(engine: Engine, origin: string): Promise<Phone> {
    await engine.resize(SCREEN.width, SCREEN.height);
    return new Phone(engine, origin);
  }

  /** Hands the phone to somebody else. @param token of a session, or null for somebody signed out. */
  async handTo(token: string | null): Promise<void> {
    await this.open('/healthz');
    await this.#run(beginAnew, token === null ? {} : { [brand.tokenStorageKey]: token });
  }

  /** Opens a page of the server, and waits until its script has taken it over. */
  async open(path: string): Promise<void> {
    await this.#run(markAsLeft);
    await this.#engine.goTo(this.#origin + path);
    await this.#expect(path, async () => (await this.#run(isArrived)) && (await this.#run(isTakenOver)));
  }

  /** Taps a control once it stands still. */
  async tap({ role, name }: Control): Promise<void> {
    const pattern = typeof name === 'string' ? `^${name.replace(SPECIAL, '\\$&')}$` : name.source;
    let last: Place | null = null;
    await this.#expect(`${role} "${name}"`, async () => {
      const place = await this.#run(placeOf, role, pattern);
      const isStill = place !== null && place.x === last?.x && place.y === last.y;
      last = place;
      return isStill;
    });
    const point = { type: 'pointerMove', duration: 0, origin: 'viewport', ...(last ?? {}) };
    const press = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    const parameters = { pointerType: 'mouse' } as const;
    await this.#engine.perform([{ type: 'pointer', id: 'pointer', parameters, actions: [point, ...press] }]);
  }

  /** Replaces what stands in a field. */
  async type(name: Control['name'], text: string): Promise<void> {
    await this.tap({ role: 'textbox', name });
    await this.#run(selectAll);
    const strokes = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#engine.perform([{ type: 'key', id: 'keyboard', actions: strokes }]);
  }

  /** Waits until these stand on the screen, all at once. */
  async read(...texts: readonly (string | RegExp)[]): Promise<void> {
    await this.#expect(texts.map(String).join(', '), async () => {
      const shown = await this.#run(shownText);
      return texts.every((text) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)));
    });
  }

  /**
   * Waits until the tabs stand in one row on a screen of this width, in CSS pixels. A browser may answer that
   * it has another size before it has laid the page out for it.
   */
  async seeTabsInOneRow(width: number): Promise<void> {
    await this.#engine.resize(width, SCREEN.height);
    try {
      await this.#expect(`tabs in one row at ${width} px`, async () => (await this.#run(rowsOfTabs)) === 1);
    } finally {
      await this.#engine.resize(SCREEN.width, SCREEN.height);
    }
  }

  /** Waits until the first time on the page stands in one line. */
  seeTimeInOneLine(): Promise<void> {
    return this.#expect('a time in one line', async () => (await this.#run(linesOfTime)) === 1);
  }

  savePicture(path: string): Promise<void> {
    return this.#engine.savePicture(path);
  }

  /** Waits. @throws Error that tells what the screen shows instead. */
  async #expect(what: string, isThere: () => Promise<boolean>): Promise<void> {
    // While one page gives way to the next, nothing can be asked.
    const look = () =>
      isThere().then(
        (is) => (is ? true : null),
        () => null,
      );
    try {
      await waitFor(what, look, PATIENCE_MS);
    } catch (error) {
      throw new Error(
        `${error} on:\n${(await this.#run(shownText)).replace(/\s+/g, ' ').slice(0, MAX_TOLD)}`,
      );
    }
  }

  /** Calls a function in the page. */
  async #run<Args extends readonly unknown[], Value>(
    run: (...args: Args) => Value,
    ...args: Args
  ): Promise<Value> {
    const list = args.map((argument) => JSON.stringify(argument)).join();
    return JSON.parse(await this.#engine.evaluate(`JSON.stringify((${run})(${list}))`));
  }
}
