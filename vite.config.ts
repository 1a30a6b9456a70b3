import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { gzipAsync } from '@gfx/zopfli';
import react from '@vitejs/plugin-react';
import type { Plugin, Rolldown } from 'vite';
import type { ViteUserConfig } from 'vitest/config';

/**
 * Writes a .br and a .gz beside every text file of the built client, so that no request waits for compression. Zopfli
 * writes gzip that is 3 % smaller than zlib's.
 */
function precompress(): Plugin {
  return {
    name: 'precompress',
    applyToEnvironment: ({ name }) => name === 'client',
    async writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:html|js|css|svg|json|webmanifest|txt)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
        writeFileSync(`${path}.gz`, await gzipAsync(content, { numiterations: 15 }));
      }
    },
  };
}

/**
 * sonner writes its style sheet into the page by script, which the Content-Security-Policy forbids. This takes that
 * line out; toaster.tsx imports the same sheet as a file.
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

/** after-paint.ts, which is built by itself and stands in each template. */
function starterOf(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk | undefined {
  return Object.values(bundle)
    .filter((file) => file.type === 'chunk')
    .find(({ facadeModuleId }) => facadeModuleId?.endsWith('/after-paint.ts'));
}

/**
 * Makes the templates of rendered pages paint without waiting: their styles stand in them, and so does after-paint.ts,
 * which starts their script. The links that stay behind, switched off, tell the loader of later screens that these
 * styles are there.
 */
function selfContainedTemplates(): Plugin {
  return {
    name: 'self-contained-templates',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const starter = starterOf(bundle);
        if (starter) delete bundle[starter.fileName];
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, path }) {
        if (!bundle || !path.includes('/templates/')) return html;
        const starter = starterOf(bundle);
        if (!starter) throw new Error('after-paint.ts was not built');
        const scripts: string[] = [];
        let styles = '';
        let markers = '';
        const withoutStyles = html.replace(
          /\s*<link rel="stylesheet"[^>]* href="\/([^"]+)"[^>]*>/g,
          (_, file: string) => {
            const asset = bundle[file];
            if (asset?.type !== 'asset') throw new Error(`${path} names ${file}, which was not built`);
            styles += asset.source.toString().trim();
            markers += `\n    <link rel="stylesheet" href="/${file}" disabled>`;
            return '';
          },
        );
        const rest = withoutStyles
          .replace(/\s*<link rel="modulepreload"[^>]* href="([^"]+)"[^>]*>/g, (_, file: string) => {
            scripts.push(file);
            return '';
          })
          .replace(/\s*<script type="module"[^>]* src="([^"]+)"[^>]*><\/script>/, (_, file: string) => {
            scripts.unshift(file);
            return '';
          });
        const start = `<script type="module" data-scripts="${scripts.join(' ')}">${starter.code.trim()}</script>`;
        const style = `\n    <style>${styles}</style>${markers}\n  </head>`;
        return rest
          .replace('\n  </head>', () => style)
          .replace('\n  </body>', () => `\n    ${start}\n  </body>`);
      },
    },
  };
}

function listScopes(): readonly string[] {
  return readdirSync(join(import.meta.dirname, 'src/client'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.module.css'))
    .sort();
}

let scopes = listScopes();

/** A page carries each class name three times, in its HTML, its styles and its script: `card-4` says enough. */
function shortClassName(name: string, file: string): string {
  const isOwn = (path: string) => file.endsWith(join('src/client', path));
  // While somebody develops, there may be a new one.
  if (!scopes.some(isOwn)) scopes = listScopes();
  return `${name}-${scopes.findIndex(isOwn).toString(36)}`;
}

/** What every page needs: React, the client around its screens, and what the screens share without a library. */
const OF_EVERY_PAGE =
  /node_modules[\\/](?:react|react-dom|scheduler)[\\/]|rolldown[\\/]runtime|vite[\\/]preload-helper|src[\\/]client[\\/](?:app|calls|client-root|display-font|elsewhere|hydrate|navigation|paths|rendered|session|toasts)\.tsx?|src[\\/]client[\\/]ui[\\/](?:badge|base|boundary|button|card|field|heading|icons|link|loading-screen|money|screen|states|tokens)\.|src[\\/]shared[\\/](?:brand|categories|ids|money)\.ts/;

const config: ViteUserConfig = {
  root: 'src/client',
  publicDir: 'public',
  cacheDir: '../../node_modules/.vite',
  server: {
    proxy: Object.fromEntries(
      // With their slash: /api.ts is a file of the client.
      ['/api/', '/trpc/', '/healthz', '/readyz'].map((path) => [
        path,
        `http://127.0.0.1:${process.env['SERVER_PORT'] ?? 3001}`,
      ]),
    ),
  },
  css: { modules: { generateScopedName: shortClassName } },
  plugins: [react(), sonnerStylesAsFile(), selfContainedTemplates(), precompress()],
  builder: {},
  test: {
    projects: [
      {
        root: import.meta.dirname,
        test: {
          name: 'node',
          include: ['tests/*.test.ts', 'tests/{shared,server,client}/**/*.test.ts'],
          setupFiles: ['tests/support/setup.ts'],
          globalSetup: ['tests/support/build.ts'],
          testTimeout: 120_000,
          // Both cores of a small machine: most of the time is spent hashing, or waiting for processes.
          maxWorkers: 2,
          // As for the browser tests: a shared machine may stall.
          retry: process.env['CI'] ? 1 : 0,
        },
      },
    ],
  },
  environments: {
    client: {
      build: {
        outDir: '../../dist/client',
        emptyOutDir: true,
        // The Content-Security-Policy allows fonts and styles from files only.
        assetsInlineLimit: 0,
        modulePreload: {
          polyfill: false,
          // Whatever loads something later has these already.
          resolveDependencies: (_, files, { hostType }) =>
            hostType === 'js' ? files.filter((file) => !/\/(?:base|rolldown-runtime)-/.test(file)) : files,
        },
        rollupOptions: {
          // Packing takes most of the time, and is meant to.
          checks: { pluginTimings: false },
          output: {
            // In one file: twenty small ones compress worse, and are asked for one by one.
            codeSplitting: { groups: [{ name: 'base', test: OF_EVERY_PAGE }] },
          },
          input: [
            'index.html',
            'templates/auth.html',
            'templates/landing.html',
            'templates/tip.html',
            'after-paint.ts',
          ].map((file) => join(import.meta.dirname, 'src/client', file)),
        },
      },
    },
    // The components of rendered pages as one module of its own, which needs neither node_modules nor NODE_ENV.
    render: {
      consumer: 'server',
      define: { 'process.env.NODE_ENV': JSON.stringify('production') },
      resolve: { noExternal: true },
      build: {
        outDir: '../../dist/render',
        emptyOutDir: true,
        ssr: true,
        copyPublicDir: false,
        target: 'node20',
        minify: false,
        sourcemap: true,
        rollupOptions: {
          input: 'src/client/render.tsx',
          output: { entryFileNames: 'render.js' },
          // In one file: what the browser fetches later is at hand here.
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    server: {
      consumer: 'server',
      resolve: { external: true, noExternal: [/^#/] },
      build: {
        outDir: '../../dist/server',
        emptyOutDir: true,
        ssr: true,
        copyPublicDir: false,
        target: 'node20',
        minify: false,
        sourcemap: true,
        rollupOptions: {
          input: ['main', 'account', 'db-check', 'db-backup', 'db-restore'].map(
            (entry) => `src/server/${entry}.ts`,
          ),
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    },
  },
};

export default config;
