/** The heading of a screen: after a change of screen it takes the focus, so that reading begins there. */
import { type ComponentProps, useEffect, useRef } from 'react';

let isFirstScreen = true;

export function ScreenHeading(props: ComponentProps<'h1'>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The first screen was opened by the browser, which puts the focus where its user expects it.
    if (!isFirstScreen) heading.current?.focus();
    isFirstScreen = false;
  }, []);
  return <h1 ref={heading} tabIndex={-1} {...props} />;
}
