/** The heading of a screen. It takes the focus after a change of screen, so that reading begins there. */
import { type ComponentProps, useEffect, useRef } from 'react';

let isFirstScreen = true;

export function ScreenHeading(props: ComponentProps<'h1'>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // After a page load the browser sets the focus.
    if (!isFirstScreen) heading.current?.focus();
    isFirstScreen = false;
  }, []);
  return <h1 ref={heading} tabIndex={-1} {...props} />;
}
