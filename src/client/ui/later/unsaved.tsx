/**
 * Asks before something unsaved is lost by leaving a screen: by Back and Forward, by a link, and by closing what shows
 * it. The address stays that of the screen until the answer. Leaving the page itself is asked about by the browser.
 */
import { type ReactNode, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { navigate } from 'wouter/use-browser-location';
import { Confirmation } from './confirmation.tsx';

/** What a step through the history was about to do. */
interface Step {
  readonly goOn: () => void;
  /** Takes away the entry that the step has left behind. */
  readonly takeBack?: (() => void) | undefined;
}

type Hold = (event: Event) => void;

/** Each undoes steps away from its screen. The newest is of the screen that lies over the others. */
const holds: Hold[] = [];
/** By which somebody leaves a screen just now, below which another one may hold the address. */
let stepUnderWay: Step | null = null;

export interface Unsaved {
  readonly isAsked: boolean;
  /** Closes this screen, after the question where something is unsaved. @param goOn follows `onLeave`. */
  readonly close: (goOn?: () => void) => void;
  readonly stay: () => void;
  readonly leave: () => void;
  /** Goes on once everything is saved, also where somebody is asked about leaving just then. */
  readonly finish: (goOn: () => void) => void;
}

/** @param onLeave takes away what is unsaved, before the step that was asked about goes on. */
export function useUnsaved(isUnsaved: boolean, onLeave: () => void): Unsaved {
  const [isAsked, setAsked] = useState(false);
  const asked = useRef<Step>(null);

  function ask(step: Step | null) {
    asked.current = step;
    setAsked(step !== null);
  }

  /** Closes the question. @returns the step that it was about. */
  function take(): Step | null {
    const step = asked.current;
    ask(null);
    return step;
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what `ask` changes is of this hook
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    asked.current = null;
    const letGo = holdWith(holdAddress(ask));
    return () => {
      letGo();
      // The step is left to `finish`.
      setAsked(false);
    };
  }, [isUnsaved]);

  function finish(goOn: () => void) {
    const step = take();
    if (!step?.takeBack) return goOn();
    // The entry of the step would stand between this screen and what is before it.
    window.addEventListener('popstate', goOn, { once: true });
    step.takeBack();
  }

  return {
    isAsked: isUnsaved && isAsked,
    close(goOn = () => {}) {
      if (isUnsaved) return ask({ goOn });
      finish(() => {
        onLeave();
        goOn();
      });
    },
    stay: () => take()?.takeBack?.(),
    leave() {
      const step = take();
      flushSync(onLeave);
      stepUnderWay = step;
      step?.goOn();
      stepUnderWay = null;
    },
    finish,
  };
}

/** Tells the screen around a form, which asks, whether the form has changes. */
export function useTellUnsaved(isUnsaved: boolean, tell: (isUnsaved: boolean) => void): void {
  const told = useEffectEvent(tell);
  // In the same step as the change, so that Close right after it asks.
  useLayoutEffect(() => {
    told(isUnsaved);
    // The form goes with its changes.
    return () => told(false);
  }, [isUnsaved]);
}

/** @returns what ends the hold. */
function holdWith(hold: Hold): () => void {
  holds.push(hold);
  // Of the browser's steps this place among the listeners hears first (start/frame/drawing.tsx).
  window.onpopstate = hear;
  // wouter tells of all others by these, and draws later.
  window.addEventListener('pushState', hear);
  window.addEventListener('replaceState', hear);
  // The browser asks before it leaves the page (HTML Standard, "prompt to unload").
  window.addEventListener('beforeunload', prompt);
  return () => {
    holds.splice(holds.indexOf(hold), 1);
    if (holds.length > 0) return;
    window.onpopstate = () => {};
    window.removeEventListener('pushState', hear);
    window.removeEventListener('replaceState', hear);
    window.removeEventListener('beforeunload', prompt);
  };
}

function hear(event: Event): void {
  holds.at(-1)?.(event);
}

function prompt(event: Event): void {
  event.preventDefault();
}

/** @returns a listener that undoes each step away from the present address, and hands it to `ask`. */
function holdAddress(ask: (step: Step | null) => void): Hold {
  const { href, pathname } = window.location;
  const heldState: unknown = window.history.state;
  const place = placeInHistory();
  return ({ type }) => {
    const wanted = window.location.href;
    if (wanted === href) {
      // Back under the question about a link has taken its entry back already.
      if (type === 'popstate') ask(null);
      return;
    }
    // A page that takes the place of this one is the end of a session.
    if (type === 'replaceState' && !stepUnderWay && window.location.pathname !== pathname) return;
    const state: unknown = window.history.state;
    const stepsAhead = type === 'pushState' ? 1 : placeInHistory() - place;
    const isBack = type === 'popstate' && !(stepsAhead > 0);
    if (type === 'popstate') stayInPlace();
    navigate(href, { replace: !isBack, state: heldState });
    if (isBack) return ask({ goOn: () => window.history.back() });
    ask({
      goOn: () => navigate(wanted, { replace: true, state }),
      takeBack: type === 'replaceState' ? stepUnderWay?.takeBack : () => window.history.go(-stepsAhead),
    });
  };
}

/** After the event of a step browsers scroll to where its entry was left. */
function stayInPlace(): void {
  const { scrollX: left, scrollY: top } = window;
  requestAnimationFrame(() => window.scrollTo({ left, top, behavior: 'instant' }));
}

/** NaN where browsers do not tell it, such as Firefox before 147: there Forward is taken for Back. */
function placeInHistory(): number {
  return 'navigation' in window ? (window.navigation.currentEntry?.index ?? Number.NaN) : Number.NaN;
}

interface LeaveQuestionProps {
  readonly unsaved: Unsaved;
  /** What is asked in place of the question about changes that are not saved. */
  readonly instead?: { readonly title: string; readonly stay: string };
  readonly children: ReactNode;
}

export function LeaveQuestion({ unsaved, instead, children }: LeaveQuestionProps) {
  if (!unsaved.isAsked) return null;
  return (
    <Confirmation
      title={instead?.title ?? 'Discard your changes?'}
      confirm={instead === undefined ? 'Discard' : 'Leave'}
      cancel={instead?.stay ?? 'Keep Editing'}
      onConfirm={unsaved.leave}
      onCancel={unsaved.stay}
    >
      {children}
    </Confirmation>
  );
}
