/**
 * The operator's own pages, from Markdown files in BRAND_FOLDER. No HTML of a file reaches a page, no script, no
 * picture, and no link but to pages, mail and phones.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { readBrandFile } from './brand-folder.ts';
import { BrandRefused } from './brand-refused.ts';

/** A long contract has some 60 KB. */
const MAX_BYTES = 262_144;
const MAX_LABEL_LENGTH = 60;

export const OPERATOR_PAGES = [
  { name: 'terms', path: '/terms', label: 'Terms of Use' },
  { name: 'privacy', path: '/privacy', label: 'Privacy' },
  { name: 'imprint', path: '/imprint', label: 'Imprint' },
] as const;

export type OperatorPageName = (typeof OPERATOR_PAGES)[number]['name'];

export interface OperatorPage {
  readonly name: OperatorPageName;
  readonly path: string;
  /** The heading of the page, under which links lead to it. */
  readonly label: string;
  /** The content of the page, with the heading. */
  readonly html: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly version: string;
}

/**
 * @param defaultPrivacy Markdown, for a folder without a page about privacy.
 * @throws BrandRefused for a file that cannot be read, is too large, empty or no text.
 */
export async function readOperatorPages(
  folder: string,
  defaultPrivacy: string,
): Promise<readonly OperatorPage[]> {
  const markdown = await createMarkdown();
  const pages: OperatorPage[] = [];
  for (const page of OPERATOR_PAGES) {
    const file = join(folder, `${page.name}.md`);
    const bytes = await readBrandFile(file, MAX_BYTES);
    const text = bytes ? decode(file, bytes) : page.name === 'privacy' ? defaultPrivacy : null;
    if (text === null) continue;
    pages.push({ ...page, ...htmlOf(markdown, text, page.label), version: hash('sha256', bytes ?? text) });
  }
  return pages;
}

function utf8Of(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BrandRefused(`BRAND_FOLDER ${file} is not UTF-8 text`, { cause });
  }
}

function decode(file: string, bytes: Uint8Array): string {
  const text = utf8Of(file, bytes);
  // People would accept terms that say nothing.
  if (text.trim() === '') throw new BrandRefused(`BRAND_FOLDER ${file} is empty`);
  return text;
}

/** A page without a heading of the first level gets its label as one. */
function htmlOf(
  markdown: Awaited<ReturnType<typeof createMarkdown>>,
  text: string,
  label: string,
): Pick<OperatorPage, 'label' | 'html'> {
  const tokens = markdown.parse(text, {});
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const heading = at < 0 ? '' : wordsOf(tokens[at + 1]?.children ?? []);
  const html = markdown.renderer.render(tokens, markdown.options, {});
  if (heading === '') return { label, html: `<h1>${label}</h1>\n${html}` };
  return { label: [...heading].length > MAX_LABEL_LENGTH ? label : heading, html };
}

function wordsOf(tokens: readonly { readonly type: string; readonly content: string }[]): string {
  return tokens
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
    .trim();
}

/** Loaded only where an operator brings pages. */
async function createMarkdown() {
  const { default: MarkdownIt } = await import('markdown-it');
  // HTML in a file is shown as the text that it is.
  const parser = new MarkdownIt({ html: false });
  parser.validateLink = (url) => /^(?:https?:|mailto:|tel:|#|\/(?!\/))/i.test(url.trim());
  const { rules } = parser.renderer;
  // A picture of another site would tell that site who reads the page.
  rules['image'] = (tokens, index) => parser.utils.escapeHtml(tokens[index]?.content ?? '');
  for (const cell of ['th_open', 'td_open'] as const) {
    // The Content-Security-Policy allows no style attribute.
    rules[cell] = (tokens, index) => `<${tokens[index]?.tag ?? 'td'}>`;
  }
  rules['link_open'] = (tokens, index) => {
    const href = parser.utils.escapeHtml(String(tokens[index]?.attrGet('href') ?? ''));
    return `<a href="${href}" rel="noopener noreferrer">`;
  };
  return parser;
}
