/**
 * The templates that the build wrote for the pages that arrive rendered: the HTML around what is rendered, with the
 * scripts and styles that stand in the page itself.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RenderedPage } from '#shared/rendered-page.ts';
import type { InlineSources } from '../api/envelope.ts';

export interface Templates {
  /** What stands in the templates instead of a file of its own. */
  readonly inlineSources: InlineSources;
  /** The HTML of a rendered page. */
  fill(name: 'landing' | 'auth' | 'tip' | 'offline', rendered: RenderedPage): string;
}

/** @param folder where the client was built to. */
export function readTemplates(folder: string): Templates {
  const read = (name: string) => readFileSync(join(folder, `templates/${name}.html`), 'utf8');
  const templates = {
    landing: read('landing'),
    auth: read('auth'),
    tip: read('tip'),
    offline: read('offline'),
  };
  return {
    inlineSources: inlineSourcesOf(Object.values(templates)),
    fill: (name, rendered) =>
      templates[name]
        .split(/<!--(head|body|data)-->/)
        .map((part) => (part === 'head' || part === 'body' || part === 'data' ? rendered[part] : part))
        .join(''),
  };
}

function inlineSourcesOf(templates: readonly string[]): InlineSources {
  const hashesOf = (element: RegExp) => [
    ...new Set(
      templates
        .flatMap((template) => [...template.matchAll(element)])
        .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`),
    ),
  ];
  return {
    script: hashesOf(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs),
    style: hashesOf(/<style>(.*?)<\/style>/gs),
  };
}
