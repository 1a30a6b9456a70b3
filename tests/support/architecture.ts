/**
 * The house rules as one function over source texts: which way imports point, who may know which package, where the
 * clock, chance and the environment may be read, and what no file may be. Each violation is a sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'vite';

/** Source texts by their path below src, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** The layers that it may import, beside itself. */
  readonly below: readonly string[];
}

const MAX_LINES = 350;
const CHAPTERS = ['auth', 'qr-codes', 'tips'] as const;
const SCREENS = ['landing', 'auth', 'dashboard', 'scan', 'tip'] as const;

const CHAPTER_LAYERS = CHAPTERS.map((chapter) => `the chapter ${chapter}`);
const SCREEN_LAYERS = SCREENS.map((screen) => `the screen ${screen}`);
const BELOW_SCREENS = ['the session', 'the client roots', 'ui', 'signed-in data'];
const APP_PARTS = [
  'shared',
  'the storage port',
  'limits',
  'config',
  'prepared answers',
  ...CHAPTER_LAYERS,
  'api',
];

/** Every file has the first layer that fits. A new file at a root needs a thought about where it stands. */
const LAYERS: readonly Layer[] = [
  { name: 'shared', files: /^shared\//, below: [] },
  { name: 'the storage port', files: /^server\/storage\/storage\.ts$/, below: ['shared'] },
  { name: 'sqlite', files: /^server\/storage\/sqlite\//, below: ['shared', 'the storage port'] },
  ...CHAPTERS.map((chapter, index) => ({
    name: CHAPTER_LAYERS[index] ?? chapter,
    files: new RegExp(`^server/${chapter}/`),
    below: ['shared', 'the storage port'],
  })),
  { name: 'limits', files: /^server\/limits\//, below: ['shared', 'the storage port'] },
  { name: 'prepared answers', files: /^server\/pages\/prepared-answer\.ts$/, below: [] },
  { name: 'config', files: /^server\/config\.ts$/, below: ['shared'] },
  {
    name: 'api',
    files: /^server\/api\//,
    below: ['shared', 'the storage port', 'limits', 'prepared answers', ...CHAPTER_LAYERS],
  },
  { name: 'app', files: /^server\/(?:app\.ts$|pages\/)/, below: APP_PARTS },
  {
    name: 'command',
    files: /^server\/commands\/command\.ts$/,
    below: ['shared', 'config', 'the storage port', 'sqlite'],
  },
  // Where the migrations lie, beside the sources or in the build.
  { name: 'migrations folder', files: /^server\/storage\/sqlite\/migrations-folder\.ts$/, below: [] },
  { name: 'backup schedule', files: /^server\/storage\/backup-schedule\.ts$/, below: ['shared'] },
  // What the one program can run, each for itself.
  {
    name: 'serving and the commands',
    files: /^server\/(?:serve\.ts$|commands\/)/,
    below: [...APP_PARTS, 'sqlite', 'app', 'command', 'migrations folder', 'backup schedule'],
  },
  // Nothing imports it.
  { name: 'main', files: /^server\/main\.ts$/, below: ['command', 'serving and the commands'] },
  { name: 'the session', files: /^client\/session\/session\.ts$/, below: ['shared'] },
  { name: 'the client roots', files: /^client\/[^/]+$/, below: ['shared', 'the session'] },
  { name: 'ui', files: /^client\/ui\//, below: ['shared', 'the client roots'] },
  {
    name: 'signed-in data',
    files: /^client\/session\//,
    below: ['shared', 'the session', 'the client roots', 'ui'],
  },
  ...SCREENS.map((screen, index) => ({
    name: SCREEN_LAYERS[index] ?? screen,
    files: new RegExp(`^client/${screen}/`),
    below: ['shared', ...BELOW_SCREENS],
  })),
  // Where pages begin, in the browser and on the server. Nothing imports these.
  {
    name: 'the client main',
    files: /^client\/start\/(?:main|(?:tip|landing|auth)-page|render)\.tsx?$/,
    below: ['shared', ...BELOW_SCREENS, ...SCREEN_LAYERS, 'the client app'],
  },
  {
    name: 'the client app',
    files: /^client\/start\//,
    below: ['shared', ...BELOW_SCREENS, ...SCREEN_LAYERS],
  },
];

/** Packages that only some may know. */
const KEEPERS: readonly { readonly packages: RegExp; readonly files: RegExp; readonly who: string }[] = [
  {
    packages: /^(?:hono|@hono\/.+)$/,
    files: /^server\/(?:api\/|pages\/|(?:app|serve)\.ts$)/,
    who: 'only api/, app.ts, pages.ts, prepared-answer.ts and serve.ts know the web framework',
  },
  {
    packages: /^@trpc\/.+$/,
    files: /^(?:server\/(?:api\/|app\.ts$|serve\.ts$)|client\/(?:api|session\/api-hooks)\.ts$)/,
    who: 'only api/, app.ts and serve.ts know tRPC, and api.ts and api-hooks.ts of the client',
  },
  {
    packages: /^(?:better-sqlite3|drizzle-orm)$/,
    files: /^server\/storage\/sqlite\//,
    who: 'only storage/sqlite knows the database driver',
  },
  {
    packages: /^qrcode$/,
    files: /^server\/qr-codes\/qr-image\.ts$/,
    who: 'only qr-codes/qr-image.ts draws codes',
  },
];

/** What gives another answer each time; it is passed in from serve.ts instead. */
const UNSTEADY =
  /^(?:Date\.now|new Date\(\)|Date\(\)|Math\.random|performance\.now|process\.hrtime|(?:crypto\.)?(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues))$/;

/** Where a process or a page begins, and hands out the clock and chance. */
const STARTING_POINTS = /^(?:server\/(?:serve|commands\/account)\.ts|client\/start\/main\.tsx?)$/;

/** What browsers have of clock and chance. No test of the client stands in for them. */
const OF_BROWSERS: ReadonlySet<string> = new Set(['new Date()', 'crypto.getRandomValues']);

/** The exceptions, each with its reason. One that is no longer needed is a violation itself. */
export const UNSTEADY_EXCEPTIONS: readonly {
  readonly file: string;
  readonly what: string;
  readonly reason: string;
}[] = [
  { file: 'server/app.ts', what: 'randomUUID', reason: 'names a request in the log; nothing depends on it' },
  { file: 'server/app.ts', what: 'performance.now', reason: 'how long a request took, for the log only' },
  {
    file: 'server/storage/sqlite/group-commit.ts',
    what: 'performance.now',
    reason: 'bounds a real wait for another process, whatever the clock of the product says',
  },
];

/** Who may import by a computed name, and why. */
export const COMPUTED_IMPORTS: readonly { readonly file: string; readonly reason: string }[] = [
  {
    file: 'server/serve.ts',
    reason: 'the renderer of the client is built apart, and reaches the server as a function of a small type',
  },
  {
    file: 'client/start/after-paint.ts',
    reason: 'the build writes the script of each page into the page itself',
  },
];

interface Import {
  /** Null when it is computed. */
  readonly specifier: string | null;
  readonly isTypeOnly: boolean;
  /** The names taken from it; none of a namespace, a side effect or a dynamic import. */
  readonly names: readonly string[];
}

interface SourceFacts {
  readonly imports: readonly Import[];
  readonly hasDefaultExport: boolean;
  readonly readsEnvironment: boolean;
  readonly unsteady: ReadonlySet<string>;
}

/** All sources below a folder. */
export function readSources(folder: string): Sources {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = posix.relative(folder, join(entry.parentPath, entry.name));
    if (entry.isFile() && !path.includes('node_modules')) {
      sources.set(path, readFileSync(join(folder, path), 'utf8'));
    }
  }
  return sources;
}

/** What breaks the rules of the house, in sentences; none when all is well. */
export function violationsOf(sources: Sources, exceptions = UNSTEADY_EXCEPTIONS): string[] {
  const said: string[] = [];
  const used = new Set<string>();
  const meetings: string[] = [];

  for (const [path, text] of sources) {
    if (!/\.tsx?$/.test(path)) continue;
    const layer = layerOf(path);
    if (!layer)
      said.push(`${path} stands in no layer: say where it belongs in tests/support/architecture.ts.`);
    said.push(...nameViolations(path));
    const lines = text.replace(/\n$/, '').split('\n').length;
    if (lines > MAX_LINES) said.push(`${path} has ${lines} lines; more than ${MAX_LINES} are two files.`);

    const facts = factsOf(path, text);
    if (facts.hasDefaultExport)
      said.push(`${path} has a default export: names are the same everywhere here.`);
    if (facts.readsEnvironment && path !== 'server/config.ts') {
      said.push(`${path} reads the environment: only server/config.ts does.`);
    }
    if (!STARTING_POINTS.test(path)) {
      for (const what of facts.unsteady) {
        if (path.startsWith('client/') && OF_BROWSERS.has(what)) continue;
        const exception = exceptions.find((row) => row.file === path && row.what === what);
        if (exception) used.add(`${path} ${what}`);
        else said.push(`${path} uses ${what}: clock and chance are passed in from serve.ts.`);
      }
    }
    for (const imported of facts.imports) {
      if (imported.specifier === null) {
        if (COMPUTED_IMPORTS.some(({ file }) => file === path)) continue;
        said.push(`${path} imports by a computed name: nobody can see where to.`);
        continue;
      }
      const target = targetOf(path, imported.specifier);
      if (target.kind === 'package') said.push(...packageViolations(path, target.name, target.isBuiltIn));
      else if (isMeeting(path, target.path, imported)) meetings.push(path);
      else if (layer) said.push(...arrowViolations(path, layer, target.path));
    }
  }
  if (meetings.length > 1)
    said.push('client/api.ts imports the router more than once: client and server meet at one line.');
  for (const { file, what } of exceptions) {
    if (!used.has(`${file} ${what}`)) said.push(`${file} no longer uses ${what}: take its exception away.`);
  }
  return said;
}

function layerOf(path: string): Layer | undefined {
  return LAYERS.find(({ files }) => files.test(path));
}

function nameViolations(path: string): string[] {
  const parts = path.replace(/\.[^/]*$/, '').split('/');
  return [
    ...(parts.at(-1) === 'index' ? [`${path} is a barrel: import from the file that has it.`] : []),
    ...(parts.some((part) => /^(?:utils?|helpers?|common|misc|lib)$/.test(part))
      ? [`${path} is named after nothing: say what is in it.`]
      : []),
  ];
}

function arrowViolations(path: string, layer: Layer, target: string): string[] {
  const towards = layerOf(target);
  if (!towards) {
    return /^(?:client|server|shared)\//.test(target) && !/\.tsx?$/.test(target)
      ? []
      : [`${path} imports ${target}, which stands in no layer of the product.`];
  }
  if (layer === towards && layer.name !== 'serving and the commands') return [];
  if (layer.below.includes(towards.name)) return [];
  return [`${path} imports ${target}: ${layer.name} must not know ${towards.name}.`];
}

function packageViolations(path: string, name: string, isBuiltIn: boolean): string[] {
  if (path.startsWith('shared/') && name !== 'zod') {
    return [`${path} imports ${name}: shared knows zod and itself only.`];
  }
  if (path.startsWith('client/') && isBuiltIn) return [`${path} imports ${name}: browsers have no Node.`];
  return KEEPERS.filter(({ packages, files }) => packages.test(name) && !files.test(path)).map(
    ({ who }) => `${path} imports ${name}: ${who}.`,
  );
}

/** The one line at which client and server meet. */
function isMeeting(path: string, target: string, { isTypeOnly, names }: Import): boolean {
  return (
    path === 'client/api.ts' &&
    target === 'server/api/router.ts' &&
    isTypeOnly &&
    names.length === 1 &&
    names[0] === 'AppRouter'
  );
}

type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly name: string; readonly isBuiltIn: boolean };

function targetOf(path: string, specifier: string): Target {
  const inside = /^#(client|server|shared|tests)\/(.+)$/.exec(specifier);
  if (inside) return { kind: 'file', path: posix.normalize(`${inside[1]}/${inside[2]}`) };
  if (/^\.\.?(?:\/|$)/.test(specifier)) {
    return { kind: 'file', path: posix.join(posix.dirname(path), specifier) };
  }
  if (specifier.startsWith('node:')) return { kind: 'package', name: specifier, isBuiltIn: true };
  const [first = '', second] = specifier.split('/');
  return { kind: 'package', name: first.startsWith('@') ? `${first}/${second}` : first, isBuiltIn: false };
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

function factsOf(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const unsteady = new Set<string>();
  let hasDefaultExport = false;
  let readsEnvironment = false;

  const take = (source: unknown, isTypeOnly: boolean, names: readonly string[] = []) => {
    imports.push({ specifier: literalOf(source), isTypeOnly, names });
  };

  for (const node of nodesOf(program)) {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration': {
        const specifiers = nodesIn(node['specifiers']);
        if (specifiers.some(({ exported }) => nameOf(exported) === 'default')) hasDefaultExport = true;
        if (!isNode(node['source'])) break;
        const names = specifiers.map(({ imported, local }) => nameOf(imported) ?? nameOf(local) ?? '*');
        const isTypeOnly = node['importKind'] === 'type' || node['exportKind'] === 'type';
        take(node['source'], isTypeOnly, names);
        for (const name of names) {
          const source = literalOf(node['source']);
          if (/^(?:node:)?crypto$/.test(source ?? '') && UNSTEADY.test(name)) unsteady.add(name);
          if (/^(?:node:)?perf_hooks$/.test(source ?? '')) unsteady.add('performance.now');
          if (/^(?:node:)?process$/.test(source ?? '') && ['env', 'default', '*'].includes(name)) {
            readsEnvironment = true;
          }
        }
        break;
      }
      case 'ImportExpression':
      case 'TSImportType':
        take(node['source'], node.type === 'TSImportType');
        break;
      case 'TSExternalModuleReference':
        take(node['expression'], false);
        break;
      case 'ExportDefaultDeclaration':
        hasDefaultExport = true;
        break;
      case 'CallExpression': {
        const [argument] = nodesIn(node['arguments']);
        if (nameOf(node['callee']) === 'require') take(argument, false);
        if (nameOf(node['callee']) === 'Date') unsteady.add('Date()');
        break;
      }
      case 'NewExpression':
        if (nameOf(node['callee']) === 'Date' && nodesIn(node['arguments']).length === 0) {
          unsteady.add('new Date()');
        }
        break;
      case 'MemberExpression': {
        const name = memberName(node);
        if (name === 'process.env') readsEnvironment = true;
        const short = name.replace(/^globalThis\./, '');
        if (UNSTEADY.test(short)) unsteady.add(short);
        break;
      }
      case 'VariableDeclarator': {
        // `const { env } = process` and its like.
        const source = nameOf(node['init']);
        for (const property of isNode(node['id']) ? nodesIn(node['id']['properties']) : []) {
          const name = `${source}.${nameOf(property['key'])}`;
          if (name === 'process.env') readsEnvironment = true;
          if (UNSTEADY.test(name)) unsteady.add(name);
        }
        break;
      }
      default:
        break;
    }
  }
  return { imports, hasDefaultExport, readsEnvironment, unsteady };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) if (typeof child === 'object') yield* nodesOf(child);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function nodesIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a literal, also of a template without holes. */
function literalOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (typeof value['value'] === 'string') return value['value'];
  const [quasi, ...others] = nodesIn(value['quasis']);
  const text = quasi?.['value'];
  return others.length === 0 && typeof text === 'object' && text !== null && 'cooked' in text
    ? String(text.cooked)
    : null;
}

function nameOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  return typeof value['name'] === 'string' ? value['name'] : literalOf(value);
}

function memberName(node: Node): string {
  const object = node['object'];
  const left = isNode(object) && object.type === 'MemberExpression' ? memberName(object) : nameOf(object);
  return `${left}.${nameOf(node['property'])}`;
}
