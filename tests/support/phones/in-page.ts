/** What is looked up in a page. Each function is called there, so that it knows nothing of this module. */

/** A control, as a screen reader tells it. */
export interface Control {
  readonly role: 'button' | 'link' | 'tab' | 'radio' | 'checkbox' | 'textbox';
  /** The whole name, or a pattern of it. */
  readonly name: string | RegExp;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Scrolls to a control and finds its middle. @param pattern of its name.
 * @returns null when there is none, or when something else lies over it.
 */
export function placeOf(role: Control['role'], pattern: string): Place | null {
  const selectors = {
    button: 'button, [role=button]',
    link: 'a[href]:not([role])',
    tab: '[role=tab]',
    radio: 'input[type=radio]',
    checkbox: 'input[type=checkbox]',
    textbox: 'textarea, input:not([type=radio], [type=checkbox], [type=file], [type=hidden])',
  };
  const nameOf = (element: HTMLElement) => {
    const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const labels =
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null;
    const texts = [
      ids.map((id) => document.getElementById(id)?.textContent).join(' '),
      element.getAttribute('aria-label'),
      [...(labels ?? [])].map(({ textContent }) => textContent).join(' '),
      element.textContent,
    ];
    return (texts.find((text) => text) ?? '').replace(/\s+/g, ' ').trim();
  };
  const named = new RegExp(pattern);
  for (const element of document.querySelectorAll<HTMLElement>(selectors[role])) {
    if (!named.test(nameOf(element))) continue;
    // The box of a choice is small or hidden, and its label is what people tap.
    const label = role === 'radio' || role === 'checkbox' ? element.closest('label') : null;
    const target = label ?? element;
    target.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = target.getBoundingClientRect();
    const place = { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
    const hit = document.elementFromPoint(place.x, place.y);
    if (width > 0 && height > 0 && target.contains(hit)) return place;
  }
  return null;
}

/** In how many rows the tabs of a page stand. */
export function rowsOfTabs(): number {
  const tabs = [...document.querySelectorAll('[role=tab]')];
  return new Set(tabs.map((tab) => Math.round(tab.getBoundingClientRect().top))).size;
}

/** In how many lines the first time of a page is written. */
export function linesOfTime(): number {
  const time = document.querySelector('time');
  if (time === null) return 0;
  const range = document.createRange();
  range.selectNodeContents(time);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
}

/** Marks everything in the field that has the focus, so that what is typed replaces it. */
export function selectAll(): null {
  const field = document.activeElement;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.select();
  return null;
}

/** What a person reads on the page. */
export function shownText(): string {
  return document.body.innerText;
}

/** Leaves nothing of whoever used this browser before. @param entries of the local storage, by their keys. */
export function beginAnew(entries: Readonly<Record<string, string>>): null {
  sessionStorage.clear();
  localStorage.clear();
  for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  return null;
}

/** Marks the document, because a browser may give the window of an empty page to the next one. */
export function markAsLeft(): null {
  Object.assign(document, { wasLeft: true });
  return null;
}

/** Whether the page is a new one. */
export function isArrived(): boolean {
  return document.readyState !== 'loading' && !('wasLeft' in document);
}
