/** Firefox by WebDriver BiDi, which it speaks itself over a WebSocket. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRun, type Engine, type EngineProgram, end, waitFor } from './engine.ts';

const PROGRAM = '/usr/bin/firefox-esr';
const PREFERENCES = {
  'intl.accept_languages': 'en-US',
  // Motion would make a control move while it is tapped.
  'ui.prefersReducedMotion': 1,
  // As on a phone, where they take no room.
  'ui.useOverlayScrollbars': 1,
};

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

export const firefox: EngineProgram = {
  name: 'Firefox',
  packages: 'firefox-esr',
  isInstalled: canRun(PROGRAM),
  start,
};

async function start(folder: string): Promise<Engine> {
  const lines = Object.entries(PREFERENCES).map(([name, value]) =>
    [name, value].map((part) => JSON.stringify(part)),
  );
  writeFileSync(join(folder, 'user.js'), lines.map((pair) => `user_pref(${pair.join(', ')});\n`).join(''));
  const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port=0', 'about:blank'];
  const program = spawn(PROGRAM, args, {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const address = await waitFor(
    'Firefox',
    () => /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1] ?? null,
  );
  const call = await connect(`${address}/session`);
  await call('session.new', { capabilities: {} });
  const { contexts } = await call<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  return {
    async goTo(url) {
      await call('browsingContext.navigate', { context, url, wait: 'none' });
    },
    async evaluate(expression) {
      const parameters = { expression, target: { context }, awaitPromise: false };
      const answer = await call<{ result?: { value: string }; exceptionDetails?: { text: string } }>(
        'script.evaluate',
        parameters,
      );
      if (!answer.result) throw new Error(answer.exceptionDetails?.text ?? 'the script failed');
      return answer.result.value;
    },
    async perform(actions) {
      await call('input.performActions', { context, actions });
    },
    async resize(width, height) {
      await call('browsingContext.setViewport', {
        context,
        viewport: { width, height },
        devicePixelRatio: 1,
      });
    },
    async savePicture(path) {
      const { data } = await call<{ data: string }>('browsingContext.captureScreenshot', { context });
      writeFileSync(path, data, 'base64');
    },
    async print(width, height) {
      const page = { width, height };
      const { data } = await call<{ data: string }>('browsingContext.print', { context, page });
      return Buffer.from(data, 'base64');
    },
    close: () => end(program),
  };
}

/** @returns what sends a command, and gives its result or fails as the command does. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const answers = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(data);
    answers.get(message.id ?? 0)?.(message);
  });
  await once(socket, 'open');
  let count = 0;
  return async <Result>(method: string, params: object): Promise<Result> => {
    count += 1;
    const id = count;
    const answered = new Promise<Message>((resolve) => answers.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await answered;
    answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error}: ${message}`);
    return result as Result;
  };
}
