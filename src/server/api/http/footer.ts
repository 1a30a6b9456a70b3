/** The end of pages that are written here and not drawn by the client. */
import { html } from 'hono/html';
import type { SiteLink } from '#server/mail/letter.ts';

export type SiteLinks = readonly SiteLink[];

export function footerOf(links: SiteLinks) {
  if (links.length === 0) return '';
  const items = links.map(({ label, url }) => html`<a href="${url}"><bdi>${label}</bdi></a> `);
  return html`<footer><nav aria-label="About this site">${items}</nav></footer>`;
}
