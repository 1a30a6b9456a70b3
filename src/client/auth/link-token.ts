/** The token of a link in a mail, from the fragment of the address; null without one. */
export function tokenInFragment(): string | null {
  const text = window.location.hash.slice(1);
  return text === '' ? null : text;
}
