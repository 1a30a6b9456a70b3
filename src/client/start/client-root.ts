/** The element of the page in which the client is drawn, with the styles of every page. */
import '../ui/tokens.css';
import '../ui/base.css';

export function clientRoot(): HTMLElement {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no place for the client');
  return root;
}
