/**
 * Starts the script of a rendered page once the page has been painted: until then nothing competes with what there is to
 * see. What is tapped or typed meanwhile is kept by the page itself. It stands in the page, allowed by its hash: as a
 * file it would cost a round trip before the script can begin.
 */
const [entry, ...others] =
  document.querySelector<HTMLElement>('[data-scripts]')?.dataset['scripts']?.split(' ') ?? [];

// A frame's callback runs before it is painted, and a timeout after that.
requestAnimationFrame(() => setTimeout(start));

function start(): void {
  for (const file of others) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = file;
    document.head.append(link);
  }
  if (entry) void import(/* @vite-ignore */ entry);
}
