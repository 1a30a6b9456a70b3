/** Whether a part is still on the screen, for answers that come when somebody has left it. */
import { type RefObject, useLayoutEffect, useRef } from 'react';

export function useIsOpen(): Readonly<RefObject<boolean>> {
  const isOpen = useRef(true);
  useLayoutEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return isOpen;
}
