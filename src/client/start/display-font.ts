/**
 * The typeface of headings, which no page waits for: it is fetched after the first drawing, and nothing moves when it
 * comes, because what stands in for it has its measures (ui/tokens.css).
 */
import file from '@fontsource/instrument-serif/files/instrument-serif-latin-400-normal.woff2?url';

/** Never rejects: without the typeface headings keep the one that the device has. */
export async function fetchDisplayFont(): Promise<void> {
  const face = new FontFace('Instrument Serif', `url(${file})`, { display: 'swap' });
  document.fonts.add(face);
  await face.load().catch(() => {});
}
