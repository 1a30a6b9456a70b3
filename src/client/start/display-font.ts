/**
 * The typeface of headings. It is fetched after the first paint, and nothing moves when it comes, because the fallback has its
 * measures (ui/tokens.css).
 */
import file from '@fontsource/instrument-serif/files/instrument-serif-latin-400-normal.woff2?url';

/** Fetches the typeface. It never rejects: without it headings keep the fallback. */
export async function fetchDisplayFont(): Promise<void> {
  const face = new FontFace('Instrument Serif', `url(${file})`, { display: 'swap' });
  document.fonts.add(face);
  await face.load().catch(() => {});
}
