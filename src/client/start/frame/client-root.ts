/** What both kinds of page start with: the element in which the client is drawn, the styles of every page, and the typeface of headings. */
import file from '@fontsource/instrument-serif/files/instrument-serif-latin-400-normal.woff2?url';
import '../../ui/tokens.css';
import '../../ui/base.css';

export function clientRoot(): HTMLElement {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no place for the client');
  return root;
}

/**
 * Fetches the typeface of headings, after the first paint: nothing moves when it comes, because the fallback has its measures
 * (ui/tokens.css). It never rejects: without the typeface headings keep the fallback.
 */
export async function fetchDisplayFont(): Promise<void> {
  const face = new FontFace('Instrument Serif', `url(${file})`, { display: 'swap' });
  document.fonts.add(face);
  await face.load().catch(() => {});
}
