/**
 * WebKit, the engine of every iPhone, by WebDriver over HTTP: the small browser of WebKitGTK on a screen that
 * nobody sees.
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../running-server.ts';
import { canRun, type Engine, type EngineProgram, end, waitFor } from './engine.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
const SCREEN_SIZE = '1400x1000x24';
const [BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
/** A call of the driver that takes longer gets no answer any more. */
const PATIENCE_MS = 30_000;

/** The toolbar of the browser is wider than a phone unless its buttons and letters are small. */
const NARROW_TOOLBAR = '* { min-width: 0; padding: 0; margin: 0; font-size: 1px; }';
/** Motion would make a control move while it is tapped. */
const SETTINGS = '[Settings]\ngtk-enable-animations=0\n';

export const webkit: EngineProgram = {
  name: 'WebKit',
  packages: 'webkit2gtk-driver, xvfb and imagemagick',
  isInstalled: BROWSER !== undefined && canRun(DRIVER) && canRun(SCREEN),
  start,
};

async function start(folder: string): Promise<Engine> {
  const screen = spawn(SCREEN, ['-displayfd', '3', '-screen', '0', SCREEN_SIZE, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let displayNumber = '';
  screen.stdio[3]?.on('data', (text: Buffer) => {
    displayNumber += text;
  });
  const display = await waitFor('Xvfb', () =>
    displayNumber.endsWith('\n') ? `:${displayNumber.trim()}` : null,
  );
  const configuration = join(folder, 'gtk-3.0');
  mkdirSync(configuration);
  writeFileSync(join(configuration, 'gtk.css'), NARROW_TOOLBAR);
  writeFileSync(join(configuration, 'settings.ini'), SETTINGS);
  const port = await freePort();
  const driver = spawn(DRIVER, [`--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: display,
      HOME: folder,
      LANG: 'en_US.UTF-8',
      XDG_CONFIG_HOME: folder,
      // Its sandbox needs namespaces, and its compositor a graphics card, which containers do not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    },
    stdio: 'ignore',
  });
  const driverUrl = `http://127.0.0.1:${port}`;
  await waitFor('WebKitWebDriver', () =>
    fetch(`${driverUrl}/status`).then(
      ({ ok }) => ok || null,
      () => null,
    ),
  );
  const { sessionId } = await call<{ sessionId: string }>('POST', `${driverUrl}/session`, {
    capabilities: {
      alwaysMatch: {
        // With any other, the driver waits for the end of a stream of events.
        pageLoadStrategy: 'none',
        'webkitgtk:browserOptions': { binary: BROWSER, args: ['--automation'] },
      },
    },
  });
  const session = `${driverUrl}/session/${sessionId}`;
  const evaluate = (expression: string) =>
    call<string>('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] });
  let size = { width: 0, height: 0, toolbar: 0 };
  return {
    async goTo(url) {
      await call('POST', `${session}/url`, { url });
    },
    evaluate,
    async perform(actions) {
      await call('POST', `${session}/actions`, { actions });
    },
    async resize(width, height) {
      const toolbar = Number(await evaluate('String(outerHeight - innerHeight)'));
      await call('POST', `${session}/window/rect`, { x: 0, y: 0, width, height: height + toolbar });
      size = { width, height, toolbar };
    },
    async savePicture(path) {
      const { width, height, toolbar } = size;
      const part = `${width}x${height}+0+${toolbar}`;
      // The driver's own pictures never come without a compositor.
      execFileSync('import', ['-display', display, '-window', 'root', '-crop', part, '+repage', path]);
    },
    print: null,
    async close() {
      await call('DELETE', session);
      await end(driver);
      await end(screen);
    },
  };
}

/** @throws Error with the words of the driver when it refuses. */
async function call<Value>(method: string, url: string, body?: object): Promise<Value> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`);
  return value;
}
