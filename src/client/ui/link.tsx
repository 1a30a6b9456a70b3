/** A link within the product: it changes the screen without loading the page anew, unless it opens elsewhere. */
import type { ComponentProps, MouseEvent } from 'react';
import { navigate } from '../navigation.ts';

interface LinkProps extends ComponentProps<'a'> {
  readonly href: string;
}

export function Link({ href, ...rest }: LinkProps) {
  function follow(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(href);
  }
  return <a href={href} onClick={follow} {...rest} />;
}
