/**
 * Asks before something unsaved is lost by leaving a screen: by Back and Forward, by a link, and by closing what shows
 * it. The address stays that of the screen until the answer. Leaving the page itself is asked about by the browser.
 */
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { navigate } from 'wouter/use-browser-location';
import { Confirmation } from '../ui/later/confirmation.tsx';

/** What a step through the history was about to do. */
interface Step {
  readonly goOn: () => void;
  /** Takes away the entry that the step has left behind. */
  readonly takeBack?: () => void;
}

export interface Unsaved {
  readonly isAsked: boolean;
  /** Asks before this screen closes. @param goOn closes it, where `onLeave` does not. */
  readonly ask: (goOn?: () => void) => void;
  readonly stay: () => void;
  readonly leave: () => void;
}

/** @param onLeave takes away what is unsaved, before the step that was asked about goes on. */
export function useUnsaved(isUnsaved: boolean, onLeave: () => void): Unsaved {
  const [asked, setAsked] = useState<Step | null>(null);

  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const hold = holdAddress(setAsked);
    // Of the browser's steps this place among the listeners hears first (start/frame/drawing.tsx).
    window.onpopstate = hold;
    // wouter tells of all others by these, and draws later.
    window.addEventListener('pushState', hold);
    window.addEventListener('replaceState', hold);
    // The browser asks before it leaves the page (HTML Standard, "prompt to unload").
    const prompt = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', prompt);
    return () => {
      window.onpopstate = () => {};
      window.removeEventListener('pushState', hold);
      window.removeEventListener('replaceState', hold);
      window.removeEventListener('beforeunload', prompt);
      setAsked(null);
    };
  }, [isUnsaved]);

  return {
    isAsked: isUnsaved && asked !== null,
    ask: (goOn = () => {}) => setAsked({ goOn }),
    stay() {
      setAsked(null);
      asked?.takeBack?.();
    },
    leave() {
      flushSync(onLeave);
      asked?.goOn();
    },
  };
}

/** @returns a listener that undoes each step away from the present address, and hands it to `ask`. */
function holdAddress(ask: (step: Step | null) => void): (event: Event) => void {
  const { href, pathname } = window.location;
  const heldState: unknown = window.history.state;
  return ({ type }) => {
    const wanted = window.location.href;
    if (wanted === href) {
      // Back under the question about a link has taken its entry back already.
      if (type === 'popstate') ask(null);
      return;
    }
    // A page that takes the place of this one is the end of a session.
    if (type === 'replaceState' && window.location.pathname !== pathname) return;
    const state: unknown = window.history.state;
    navigate(href, { replace: type !== 'popstate', state: heldState });
    if (type === 'popstate') ask({ goOn: () => window.history.back() });
    else {
      const goOn = () => navigate(wanted, { replace: true, state });
      ask(type === 'pushState' ? { goOn, takeBack: () => window.history.back() } : { goOn });
    }
  };
}

interface DiscardQuestionProps {
  readonly unsaved: Unsaved;
  readonly children: ReactNode;
}

export function DiscardQuestion({ unsaved, children }: DiscardQuestionProps) {
  if (!unsaved.isAsked) return null;
  return (
    <Confirmation
      title="Discard your changes?"
      confirm="Discard"
      cancel="Keep Editing"
      onConfirm={unsaved.leave}
      onCancel={unsaved.stay}
    >
      {children}
    </Confirmation>
  );
}
