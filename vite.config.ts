import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { type ConfigEnv, type EnvironmentOptions, normalizePath, type Plugin, type Rolldown } from 'vite';
import type { ViteUserConfig } from 'vitest/config';
import { ON_BOTH_ENGINES, testFilesOf } from './tests/support/engines.ts';
import { LongestFirst } from './tests/support/longest-first.ts';

const CLIENT = join(import.meta.dirname, 'src/client');
/** The pages that the server renders; the script of each is `start/NAME-page.tsx`. */
const RENDERED_PAGES = ['landing', 'auth', 'tip', 'dashboard'];
/**
 * The page that a service worker shows without a connection. It has no script, because nothing can be fetched
 * then, and the styles of a tip page, because the Content-Security-Policy allows these by their hash already.
 */
const OFFLINE_PAGE = 'offline';
/** The script inside every rendered page, which fetches the page's own script after the first paint. */
const STARTER = 'start/after-paint.ts';
/** The script inside the dashboard's page, which fills in the codes that the device has kept. */
const FILLER = 'start/kept-frame.ts';
/** What the dashboard fetches later and needs without a connection. */
const LATER = ['dashboard/shift/shift.tsx'];

const packBrotli = promisify(brotliCompress);
/** Bits after the prefix of a distance, and of the size of a block; 0 leaves that to the library. */
const CODINGS = [
  [1, 0],
  [0, 0],
  [2, 0],
  [3, 0],
  [0, 16],
  [0, 17],
  [1, 16],
  [2, 16],
] as const;
const packGzip = promisify(gzip);

/** Compresses every text file of the client at build time, so that no request waits for it. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    applyToEnvironment: ({ name }) => name === 'client' || name === 'operator',
    async writeBundle({ dir }) {
      if (!dir) return;
      const files = readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:html|js|css|svg|json|webmanifest|txt)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name));
      // All at once, so that every core of the machine packs.
      await Promise.all(
        files.map(async (path) => {
          const content = readFileSync(path);
          writeFileSync(`${path}.br`, await smallest(content));
          writeFileSync(`${path}.gz`, await packGzip(content, { level: 9 }));
        }),
      );
    },
  };
}

/**
 * Compresses with several codings of distances and sizes of blocks (RFC 7932, sections 4 and 9.2), because which of them
 * is the smallest depends on the file.
 */
async function smallest(content: Buffer): Promise<Buffer> {
  const [first, ...others] = await Promise.all(
    CODINGS.map(([postfix, blockBits]) =>
      packBrotli(content, {
        params: {
          [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
          [constants.BROTLI_PARAM_LGBLOCK]: blockBits,
        },
      }),
    ),
  );
  if (!first) throw new Error('nothing was compressed');
  return others.reduce((best, next) => (next.length < best.length ? next : best), first);
}

/** Serves the console's page at the paths of its parts while Vite serves the client. */
function consoleInDevelopment(): Plugin {
  return {
    name: 'console-in-development',
    apply: 'serve',
    configureServer({ middlewares }) {
      middlewares.use((request, _answer, next) => {
        if (/^\/operator(?:\/[a-z]+)?\/?(?:\?|$)/.test(request.url ?? '')) request.url = '/operator.html';
        next();
      });
    },
  };
}

/**
 * Copies the migrations into the built server, so that a build never runs newer ones from the sources, with a
 * digest of what they make, so that no start has to run them for comparison.
 */
function migrationsOfThisBuild(): Plugin {
  return {
    name: 'migrations-of-this-build',
    applyToEnvironment: ({ name }) => name === 'server',
    async writeBundle({ dir }) {
      if (!dir) return;
      const copy = join(dir, 'drizzle');
      cpSync(join(import.meta.dirname, 'drizzle'), copy, { recursive: true });
      const { DIGEST_FILE, digestForBuild } = await import('./src/server/storage/sqlite/made-schema.ts');
      writeFileSync(join(copy, DIGEST_FILE), digestForBuild());
    },
  };
}

/**
 * sonner inserts its style sheet by script, which the Content-Security-Policy forbids. This plugin removes
 * that call; toaster.tsx imports the same style sheet as a file.
 */
function sonnerStylesAsFile(): Plugin {
  return {
    name: 'sonner-styles-as-file',
    transform(code, id) {
      if (!/[\\/]sonner[\\/]dist[\\/]index\.mjs/.test(id)) return null;
      const withoutCall = code.replace(/^__insertCSS\(".*"\);$/m, '');
      if (withoutCall === code) this.error('sonner no longer inserts its styles as expected');
      return { code: withoutCall, map: null };
    },
  };
}

/**
 * Imports the classes of a CSS module one by one, so that a page loads the names of those that it uses, where it uses
 * them, and not a table of all. Where the class is computed (`styles[look]`), the table is needed.
 */
function classesByName(): Plugin {
  return {
    name: 'classes-by-name',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /[\\/]src[\\/]client[\\/].*\.(?:tsx|module\.css)$/ },
      handler(code, id) {
        // When each name stands where it is used, the module does nothing but bring its styles.
        if (id.endsWith('.css')) return { code, map: null, moduleSideEffects: 'no-treeshake' };
        const named = code.replace(
          /^import (\w+) from (["'].+\.module\.css["']);$/gm,
          (line, table: string, file: string) =>
            code.includes(`${table}[`) ? line : `import * as ${table} from ${file};`,
        );
        return { code: named, map: null };
      },
    },
  };
}

/**
 * Writes a template for each rendered page. The browser can paint such a page without another request,
 * because its styles, its icon and the script after-paint.ts stand in the page itself. The disabled links to
 * the same style sheets tell the loader (part-files.ts), when it fetches the parts of other screens, that the
 * page has these styles already.
 */
function templatesOfRenderedPages(): Plugin {
  return {
    name: 'templates-of-rendered-pages',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const builtFrom = (file: string) => {
          const chunk = chunks.find(
            ({ facadeModuleId }) => facadeModuleId === normalizePath(join(CLIENT, file)),
          );
          return chunk ?? this.error(`${file} was not built`);
        };
        const starter = builtFrom(STARTER);
        const filler = builtFrom(FILLER);
        for (const page of [...RENDERED_PAGES, OFFLINE_PAGE]) {
          const isOffline = page === OFFLINE_PAGE;
          const script = builtFrom(`start/${isOffline ? 'tip' : page}-page.tsx`);
          const imports = importsOf(script, bundle);
          const styles = new Set(
            [...imports, script].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
          );
          const style = [...styles].map((file) => textOf(bundle[file]).trim()).join('');
          const links = [...styles].map((file) => `\n    <link rel="stylesheet" href="/${file}" disabled>`);
          // after-paint.ts imports the first file and preloads the others.
          const pathsOf = (names: Iterable<string>) => [...names].map((name) => `/${name}`).join(' ');
          const files = pathsOf([script, ...imports].map(({ fileName }) => fileName));
          const isDashboard = page === 'dashboard';
          const later = new Set(
            (isDashboard ? LATER.map(builtFrom) : [])
              .flatMap((chunk) => [...importsOf(chunk, bundle), chunk])
              .flatMap(({ fileName, viteMetadata }) => [fileName, ...(viteMetadata?.importedCss ?? [])]),
          );
          const filling = isDashboard
            ? `<script data-later="${pathsOf(later)}">${filler.code.trim()}</script>`
            : '';
          const icon = readFileSync(join(CLIENT, 'public/icon.svg'), 'utf8').replace(/\s+/g, ' ').trim();
          const parts: Readonly<Record<string, string>> = {
            icon: `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
            styles: `<style>${style}</style>${isOffline ? '' : links.join('')}`,
            script: isOffline
              ? ''
              : `${filling}<script type="module" data-scripts="${files}">${starter.code.trim()}</script>`,
          };
          const template = readFileSync(join(CLIENT, 'start/rendered-page.html'), 'utf8');
          const source = template.replace(/<!--(\w+)-->/g, (mark, name: string) => parts[name] ?? mark);
          this.emitFile({ type: 'asset', fileName: `templates/${page}.html`, source });
        }
        delete bundle[starter.fileName];
        delete bundle[filler.fileName];
      },
    },
  };
}

/** The static imports of a chunk, direct and indirect; each stands after its own imports. */
function importsOf(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
): ReadonlySet<Rolldown.OutputChunk> {
  const found = new Set<Rolldown.OutputChunk>();
  for (const file of chunk.imports) {
    const imported = bundle[file];
    if (imported?.type !== 'chunk') continue;
    for (const one of importsOf(imported, bundle)) found.add(one);
    found.add(imported);
  }
  return found;
}

function textOf(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): string {
  if (file?.type !== 'asset') throw new Error('a style sheet was not built');
  return file.source.toString();
}

/**
 * Names a class of a CSS module. Vite's own names contain a line number, which each page would load for each
 * class.
 */
function classNameOf(name: string, file: string): string {
  const path = normalizePath(relative(CLIENT, file.replace(/\?.*$/, '')));
  return `${name}_${createHash('sha256').update(path).digest('base64url').slice(0, 4)}`;
}

interface Chunk {
  readonly name: string;
  /** Folders of the client, without their subfolders: `ui/later` belongs to its importers. */
  readonly folders: readonly string[];
  readonly packages?: RegExp;
  readonly tags?: '$initial'[];
  readonly minShareCount?: number;
}

/**
 * Each group becomes one chunk with its imports, because one chunk compresses better than twenty small ones
 * and is one request. `tests/browser/script-size.spec.ts` limits the size of a page.
 */
const CHUNKS: readonly Chunk[] = [
  {
    name: 'base',
    folders: ['.', 'ui', 'session', 'start/frame', '../shared'],
    packages: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]|rolldown[\\/]runtime/,
    // Of the shared modules only those of a first load that have more importing chunks than there are kinds
    // of page.
    tags: ['$initial'],
    minShareCount: RENDERED_PAGES.length + 1,
  },
  // The login and the scan page call procedures without the cache of the screens behind the login.
  { name: 'api', folders: ['api-client'] },
  // Every page but the tip page has icons and a guard. The paths of mails are too little for a file of their own.
  {
    name: 'guards',
    folders: ['start/guards'],
    packages:
      /src[\\/]shared[\\/]mail-paths\.|node_modules[\\/]lucide-react[\\/]dist[\\/]esm[\\/](?:createLucideIcon|icons[\\/](?:download|qr-code|printer)\.)/,
  },
  { name: 'controls', folders: ['controls'] },
  { name: 'giving', folders: ['giving'] },
  {
    name: 'signed-in',
    folders: ['signed-in', 'dashboard/shared'],
    packages: /node_modules[\\/](?:@tanstack|@trpc[\\/]react-query|eventsource)[\\/]/,
  },
];

function isOfChunk(id: string, { folders, packages }: Chunk): boolean {
  if (packages?.test(id)) return true;
  return (
    /\.(?:tsx?|css)$/.test(id) &&
    folders.some((folder) => dirname(id) === normalizePath(join(CLIENT, folder)))
  );
}

const ABOUT_POSTGRES = ['tests/server/postgres-*.test.ts', 'tests/server/processes*.test.ts'];

const SERVER_TESTS = {
  setupFiles: ['tests/support/setup.ts'],
  // A machine that is busy with other things is four times as slow, and the longest test takes a minute.
  testTimeout: 300_000,
  hookTimeout: 120_000,
  // On a busy machine a process may answer seconds before its log or another connection tells the same.
  expect: { poll: { timeout: 20_000 } },
  // The files of a worker share its modules, whose loading would cost each of them 0.7 s of a processor. A
  // file that replaces a global has to restore it.
  isolate: false,
  // Twice the cores of a small machine, because the tests of processes wait for them and for the clock.
  maxWorkers: 4,
};

const IN_BROWSERS = {
  // React looks for its developer tools under this name; without it, a hundredth of a page's script goes.
  __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
  // Browsers read the brand from their page.
  'globalThis.installedBrand': 'document.documentElement.dataset',
};

/**
 * The operator's console is built by itself, so that no page of the product shares a file with it or grows by
 * it.
 */
const CONSOLE: EnvironmentOptions = {
  consumer: 'client',
  define: IN_BROWSERS,
  build: {
    outDir: '../../dist/operator',
    emptyOutDir: true,
    copyPublicDir: false,
    // Its files stand below its own path, which the operator may open for some addresses only.
    assetsDir: 'operator/assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: join(CLIENT, 'operator.html') },
  },
};

/** One module that needs neither node_modules nor NODE_ENV at run time. */
const RENDERER: EnvironmentOptions = {
  consumer: 'server',
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  resolve: { noExternal: true },
  build: {
    outDir: '../../dist/render',
    emptyOutDir: true,
    ssr: true,
    copyPublicDir: false,
    target: 'node22',
    minify: false,
    sourcemap: true,
    rollupOptions: {
      input: 'src/client/start/render.tsx',
      output: { entryFileNames: 'render.js' },
      // The renderer is one file, so that a dynamic import saves nothing.
      checks: { ineffectiveDynamicImport: false },
    },
  },
};

const config: ViteUserConfig = {
  root: 'src/client',
  publicDir: 'public',
  resolve: {
    alias: {
      // wouter brings a hook that React has had since its version 18, and a parser of path patterns, which no
      // route here needs.
      'use-sync-external-store/shim/index.js': 'react',
      regexparam: join(CLIENT, 'start/frame/exact-paths.ts'),
      // With Vite's own loader of the parts of screens, every page had 400 bytes more of script.
      '\0vite/preload-helper.js': join(CLIENT, 'start/frame/part-files.ts'),
    },
  },
  cacheDir: '../../node_modules/.vite',
  css: { modules: { generateScopedName: classNameOf } },
  server: {
    proxy: Object.fromEntries(
      // The slash at the end matters, because /api-client/ is a folder of the client; of /tip the server
      // answers only the form.
      [
        '/api/',
        '/trpc/',
        '/operator/trpc/',
        '/healthz',
        '/readyz',
        '/photos/',
        '/demo-code.svg',
        '^/tip/?\\?',
      ].map((path) => [path, `http://127.0.0.1:${process.env['SERVER_PORT'] ?? 3001}`]),
    ),
  },
  plugins: [
    react(),
    classesByName(),
    sonnerStylesAsFile(),
    templatesOfRenderedPages(),
    precompress(),
    consoleInDevelopment(),
    migrationsOfThisBuild(),
  ],
  builder: {},
  // That compressing takes most of a build is no warning for whoever starts the server for the first time.
  build: { rollupOptions: { checks: { pluginTimings: false } } },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        root: import.meta.dirname,
        test: {
          ...SERVER_TESTS,
          name: 'node',
          provide: { engine: 'sqlite' },
          include: ['tests/*.test.ts', 'tests/{shared,server,client,phones}/**/*.test.ts'],
          exclude: ABOUT_POSTGRES,
          globalSetup: ['tests/support/place.ts', 'tests/support/build.ts'],
        },
      },
      {
        root: import.meta.dirname,
        test: {
          ...SERVER_TESTS,
          name: 'postgres',
          provide: { engine: 'postgres' },
          include: [...ABOUT_POSTGRES, ...testFilesOf(ON_BOTH_ENGINES)],
          globalSetup: [
            'tests/support/place.ts',
            'tests/support/build.ts',
            'tests/support/postgres-setup.ts',
          ],
        },
      },
    ],
  },
  environments: {
    client: {
      define: IN_BROWSERS,
      build: {
        outDir: '../../dist/client',
        emptyOutDir: true,
        // The Content-Security-Policy allows fonts and styles only from files.
        assetsInlineLimit: 0,
        modulePreload: {
          polyfill: false,
          // Every page has these two already.
          resolveDependencies: (_, files) =>
            files.filter((file) => !/\/(?:base|rolldown-runtime)-/.test(file)),
        },
        rollupOptions: {
          // The package does not say that its modules do nothing by themselves, and every page with a client of the
          // procedures would load its WebSockets.
          treeshake: {
            moduleSideEffects: [{ test: /node_modules[\\/]@trpc[\\/]client[\\/]/, sideEffects: false }],
          },
          // The name of a class stands where it is used, though another module has it (classesByName).
          optimization: { inlineConst: { mode: 'all' } },
          output: {
            // Each page loads the names of all files, and hashes are what does not compress of them.
            hashCharacters: 'hex',
            chunkFileNames: 'assets/[name]-[hash:7].js',
            entryFileNames: 'assets/[name]-[hash:7].js',
            assetFileNames: 'assets/[name]-[hash:7][extname]',
            codeSplitting: {
              groups: CHUNKS.map((chunk) => ({
                name: chunk.name,
                test: (id) => isOfChunk(id, chunk),
                ...(chunk.tags && { tags: chunk.tags }),
                ...(chunk.minShareCount && { minShareCount: chunk.minShareCount }),
              })),
            },
          },
          input: [
            'index.html',
            STARTER,
            FILLER,
            ...RENDERED_PAGES.map((page) => `start/${page}-page.tsx`),
          ].map((file) => join(CLIENT, file)),
        },
      },
    },
    server: {
      consumer: 'server',
      // Packages are loaded from node_modules, except two. Node.js 26 would parse the package.json of drizzle-orm,
      // 180 KB, again for each of its hundred modules (measured: 0.4 s of a start, and 80 MB that stay), and zod
      // would load its messages in fifty languages (a fifteenth of a start).
      resolve: { external: true, noExternal: [/^#/, 'drizzle-orm', 'zod'] },
      build: {
        outDir: '../../dist/server',
        emptyOutDir: true,
        ssr: true,
        copyPublicDir: false,
        target: 'node22',
        minify: false,
        sourcemap: true,
        rollupOptions: {
          // The printing thread starts from a file of its own, beside main.js.
          input: ['src/server/main.ts', 'src/server/print/worker.ts'],
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    },
  },
};

/**
 * Only a build has the renderer: Vitest would apply its `noExternal` and build every package that a test
 * loads.
 */
export default ({ command }: ConfigEnv): ViteUserConfig =>
  command === 'build'
    ? { ...config, environments: { ...config.environments, render: RENDERER, operator: CONSOLE } }
    : config;
