/** Where the client stands in the page, with the styles that every page starts from. */
import '../ui/tokens.css';
import '../ui/base.css';

export function clientRoot(): HTMLElement {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no place for the client');
  return root;
}
