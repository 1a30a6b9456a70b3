/**
 * Replaces Vite's loader of the parts of screens in the build, which is 1.3 KB longer because it serves every
 * product. A browser without `modulepreload` (Safari before 17) fetches the scripts one after another.
 */

/** The files that are or were asked for, by their path; a script counts at once, a style sheet when it is there. */
const files = new Map<string, Promise<void>>();

/**
 * Imports a part of a screen when its style sheets are there. Vite calls this function, by its name, for each
 * dynamic import.
 * @param paths those of the part's style sheets and of the scripts that it imports, without the first slash.
 * @throws Error when a style sheet or the part cannot be fetched; the next call asks for it again.
 */
export async function __vitePreload<Part>(
  load: () => Promise<Part>,
  paths: readonly string[] = [],
): Promise<Part> {
  await Promise.all(
    paths.map((path) => {
      const asked = files.get(path) ?? ask(path);
      files.set(path, asked);
      return asked;
    }),
  );
  return load();
}

function ask(path: string): Promise<void> {
  const href = `/${path}`;
  const isStyle = path.endsWith('.css');
  const rel = isStyle ? 'stylesheet' : 'modulepreload';
  // A page that the server rendered contains its styles, and names them by disabled links.
  if (document.querySelector(`link[rel="${rel}"][href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), {
      rel,
      href,
      onload: () => resolve(),
      onerror: () => {
        link.remove();
        files.delete(path);
        reject(new Error(path));
      },
    });
    document.head.append(link);
    // The import itself waits for the scripts, and says which of them cannot be fetched.
    if (!isStyle) resolve();
  });
}
