import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import type { ViteUserConfig } from 'vitest/config';

/** Writes a .br and a .gz beside every text file of the built client, so that no request waits for compression. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:html|js|css|svg|json|webmanifest|txt)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
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

const config: ViteUserConfig = {
  root: 'src/client',
  publicDir: 'public',
  cacheDir: '../../node_modules/.vite',
  server: {
    proxy: Object.fromEntries(
      ['/api', '/trpc', '/healthz', '/readyz'].map((path) => [
        path,
        `http://127.0.0.1:${process.env['SERVER_PORT'] ?? 3001}`,
      ]),
    ),
  },
  plugins: [react(), sonnerStylesAsFile(), precompress()],
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
        modulePreload: { polyfill: false },
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
