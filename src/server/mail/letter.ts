/** What a mail says, without its form. Every text in it may come from people; none can become markup or a header. */
import { brand } from '#shared/brand.ts';

export interface Letter {
  /** Has no text of a person, because it is a header. */
  readonly subject: string;
  readonly lines: readonly string[];
  readonly rows?: readonly (readonly [label: string, value: string])[];
  readonly button?: { readonly label: string; readonly url: string };
  /** What to do when the letter is not meant for its reader. */
  readonly closing?: string;
  /** One click there ends letters of this kind. */
  readonly unsubscribeUrl?: string;
}

export interface Letterhead {
  /** To the operator's own pages. */
  readonly links: readonly SiteLink[];
  /** A colour as it stands in a style sheet; null for that of the product. */
  readonly accent: string | null;
  /** A square PNG, sent with the letter, so that reading it asks no server for anything. */
  readonly logo: Uint8Array | null;
}

export const PLAIN_LETTERHEAD: Letterhead = { links: [], accent: null, logo: null };
/** Names the logo within a mail (RFC 2392). */
export const LOGO_ID = 'logo';

export interface SiteLink {
  readonly label: string;
  readonly url: string;
}

export function textOf(
  { lines, rows = [], button, closing, unsubscribeUrl }: Letter,
  { links }: Letterhead = PLAIN_LETTERHEAD,
): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const parts = [
    ...lines,
    rows.map(([label, value]) => `${`${label}:`.padEnd(width + 2)}${value}`).join('\n'),
    button ? `${button.label}:\n${button.url}` : '',
    closing ?? '',
    unsubscribeUrl === undefined ? '' : `Stop these emails:\n${unsubscribeUrl}`,
    [`-- \n${brand.name}`, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * Mail programs that know no scheme show the light one, or darken its page and texts and leave the button, which
 * therefore has an edge that shows on both. Their own colours of links are named `a:link`.
 */
const STYLE = `
body { margin: 0; padding: 0; background: #f6f1e6; color: #12241c; }
.page { padding: 24px 12px; }
.letter { max-width: 480px; margin: 0 auto; padding: 28px 24px; background: #fffdf8; border-radius: 14px;
  font: 16px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 1.25; }
p { margin: 0 0 14px; overflow-wrap: anywhere; }
table { width: 100%; margin: 0 0 14px; border-collapse: collapse; }
th, td { padding: 6px 0; border-bottom: 1px solid #d8cfbc; text-align: left; font-weight: 400; }
th { padding-right: 12px; white-space: nowrap; }
td { overflow-wrap: anywhere; text-align: right; font-weight: 600; font-variant-numeric: tabular-nums; }
.letter .button { display: inline-block; padding: 11px 19px; border: 1px solid #75867b; border-radius: 10px;
  background: #12241c; color: #fffdf8; font-weight: 600; text-decoration: none; }
.soft { color: #4b594f; font-size: 14px; }
.letter .soft a { color: inherit; }
@media (prefers-color-scheme: dark) {
  body { background: #0d1712; color: #f3eee1; }
  .letter { background: #15221b; }
  th, td { border-color: #2c3d34; }
  .letter .button { background: #f3eee1; color: #12241c; }
  .soft { color: #adb9af; }
}`;

/** The logo has no text of its own, because the name stands at the end. */
const LOGO = `<p><img src="cid:${LOGO_ID}" alt="" width="48" height="48"></p>`;

export function htmlOf(
  { subject, lines, rows = [], button, closing, unsubscribeUrl }: Letter,
  { links, accent, logo }: Letterhead = PLAIN_LETTERHEAD,
): string {
  const paragraph = (text: string) => `<p>${escaped(text)}</p>`;
  const row = ([label, value]: readonly [string, string]) =>
    `<tr><th scope="row">${escaped(label)}</th><td><bdi>${escaped(value)}</bdi></td></tr>`;
  const linkTo = ({ label, url }: SiteLink) => `<a href="${escaped(url)}">${escaped(label)}</a>`;
  const soft = (inner: string) => `<p class="soft">${inner}</p>`;
  const body = [
    logo ? LOGO : '',
    `<h1>${escaped(subject)}</h1>`,
    ...lines.map(paragraph),
    rows.length === 0 ? '' : `<table>${rows.map(row).join('')}</table>`,
    button ? `<p><a class="button" href="${escaped(button.url)}">${escaped(button.label)}</a></p>` : '',
    closing === undefined ? '' : soft(escaped(closing)),
    unsubscribeUrl === undefined ? '' : soft(`<a href="${escaped(unsubscribeUrl)}">Stop these emails</a>`),
    soft([escaped(brand.name), ...links.map(linkTo)].join(' · ')),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${STYLE}${accent === null ? '' : `\n.letter { border-top: 6px solid ${accent}; }`}
</style>
</head>
<body><div class="page"><div class="letter">
${body.filter((part) => part !== '').join('\n')}
</div></div></body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}
